// A cell's formula, as mathematics with its indices and as a sum with its numbers; both are written from the formula.

const MATHS = "http://www.w3.org/1998/Math/MathML";
const TERMS = { most: 12, first: 6, last: 3 }; // a longer sum shows its first and last terms until it is unfolded
const SUMMAND = 1.5; // binds more than a sum, less than a product
const BINDS = { "≤": 0, "≠": 0, "+": 1, "−": 1, "·": 2, "/": 2, "^": 4 };

// ---------------------------------------------------------------- mathematics

function maths(tag, ...parts) {
  const node = document.createElementNS(MATHS, tag);
  node.append(...parts);
  return node;
}

const word = (text) => maths("mi", text);
const sign = (text) => maths("mo", text);
const row = (...parts) => maths("mrow", ...parts);
const bracketed = (node) => row(sign("("), node, sign(")"));

// W^O, b_1 and d_k as they are set
function symbol(name) {
  const [, base, , mark, more] = /^([^_^]+)((_|\^)(.+))?$/.exec(name) ?? [null, name];
  if (!mark) return word(base);
  return maths(mark === "_" ? "msub" : "msup", word(base), word(more));
}

// The name of a cell; rows or columns that are a quantity each have names of their own
function indexed({ symbol: own, symbol_axis: owner, size }, ...places) {
  const each = Array.isArray(own) ? ["row", "column"].indexOf(owner) : -1;
  const name = each < 0 ? own : own[places[each]];
  const shown = places.filter((_, axis) => size[axis] > 1 && axis !== each);
  if (!shown.length) return symbol(name);
  const indices = row(...shown.flatMap((place, at) => [...(at ? [sign(",")] : []), index(place)]));
  const [, base, raised] = /^([^^]+)\^(.+)$/.exec(name) ?? [];
  if (raised) return maths("msubsup", word(base), indices, word(raised));
  return maths("msub", symbol(name), indices);
}

function index(place) {
  if (typeof place === "number") return maths("mn", String(place));
  const [variable, shift, table, name] = place;
  const letter = word(variable === "cell" ? "ij" : variable);
  if (table) return maths("msub", word(name), letter);
  return shift ? row(letter, sign(shift < 0 ? "−" : "+"), maths("mn", String(Math.abs(shift)))) : letter;
}

// Below a sum: its index, and the few values it takes where they are not all
function range(variable, over) {
  if (!Array.isArray(over) || over.length > 4) return word(variable);
  return row(word(variable), sign("∈"), maths("mtext", `{${over.join(", ")}}`));
}

function mathematics(formula, find, binds = 0) {
  const [kind, ...rest] = formula;
  const inner = (part, least = 0) => mathematics(part, find, least);
  if (kind === "number") {
    const digits = maths("mn", short(rest[0], 4));
    return rest[1] ? symbol(rest[1]) : rest[0] < 0 && binds > 1 ? bracketed(digits) : digits;
  }
  if (kind === "index") return index(rest[0]);
  if (kind === "cell") return indexed(find(rest[0]), rest[1], rest[2]);
  if (kind === "named") return word(rest[0]);
  if (kind === "choose")
    return row(
      sign("{"),
      maths("mtable",
        maths("mtr", maths("mtd", inner(rest[1])), maths("mtd", inner(rest[0]), sign("="), maths("mn", "1"))),
        maths("mtr", maths("mtd", inner(rest[2])), maths("mtd", inner(rest[0]), sign("="), maths("mn", "0")))),
    );
  if (kind === "call") {
    const [name, of] = rest;
    if (name === "√") return maths("msqrt", inner(of));
    if (name === "exp") return maths("msup", word("e"), inner(of));
    if (name === "abs") return row(sign("|"), inner(of), sign("|"));
    if (name === "relu") return row(word("max"), bracketed(row(maths("mn", "0"), sign(","), inner(of))));
    if (name === "−") return row(sign("−"), inner(of, BINDS["·"]));
    return row(word(name), bracketed(inner(of)));
  }
  if (kind === "fold") {
    const [fold, variable, over, body] = rest;
    const big = maths("munder", sign(fold === "max" ? "max" : "∑"), range(variable, over));
    const whole = row(...(fold === "mean" ? [maths("mfrac", maths("mn", "1"), maths("mn", String(running(over).length)))] : []),
      big, inner(body, BINDS["·"]));
    return binds > BINDS["+"] ? bracketed(whole) : whole;
  }
  const [left, right] = rest;
  if (kind === "/") return maths("mfrac", inner(left), inner(right));
  if (kind === "^") {
    // As small as that, a fraction is read in one line
    const above = right[0] === "/" ? row(inner(right[1], 3), sign("/"), inner(right[2], 3)) : inner(right);
    return maths("msup", inner(left, 5), above);
  }
  if (BINDS[kind] === 0) return row(sign("["), inner(left), sign(kind), inner(right), sign("]"));
  const tight = kind === "·" && right[0] === "cell" ? sign("\u2062") : sign(kind);
  const whole = row(inner(left, BINDS[kind]), tight, inner(right, BINDS[kind] + (kind === "−" ? 1 : 0)));
  return binds > BINDS[kind] ? bracketed(whole) : whole;
}

// ---------------------------------------------------------------- numbers

// As `written`, without zeros at the end
function short(value, digits) {
  const text = written(value, digits);
  return /\.\d*0$/.test(text) ? text.replace(/\.?0+$/, "") : text;
}

function span(text, name = "") {
  const node = document.createElement("span");
  node.className = name;
  node.append(text);
  return node;
}

function raised(...parts) {
  const node = document.createElement("sup");
  node.append(...parts);
  return node;
}

// What writes one sum: where its indices stand, the matrices, the colours, and whether all its terms are shown
class Sum {
  constructor(where, find, colors, unfolded) {
    Object.assign(this, { where, find, colors, unfolded });
  }

  value(formula, where = this.where) {
    return valueOf(formula, where, this.find);
  }

  // A number: in brackets where a sign or a power of ten would be misread
  number(value, digits, binds = 0) {
    const text = short(value, digits);
    const misread = (binds > 1 && /^−/.test(text)) || (binds >= BINDS["·"] && /[⁰¹²³⁴⁵⁶⁷⁸⁹]$/.test(text));
    return misread ? `(${text})` : text;
  }

  // The parts of a formula with its numbers in place of its names
  parts(formula, where = this.where, binds = 0, digits = 4) {
    const [kind, ...rest] = formula;
    const inner = (part, least = 0) => this.parts(part, where, least, digits);
    const closed = (parts, own) => (binds > own ? ["(", ...parts, ")"] : parts);
    if (kind === "number") return [this.number(rest[0], 6, binds)];
    if (kind === "index") return [this.number(placed(rest[0], where), 6, binds)];
    if (kind === "cell") return [this.term(formula, where, binds, digits)];
    if (kind === "named") return [this.number(this.value(formula, where), 4, binds)];
    if (kind === "choose") return this.parts(this.value(rest[0], where) ? rest[1] : rest[2], where, binds, digits);
    if (kind === "call") {
      const [name, of] = rest;
      if (name === "√") return of[0] === "number" || of[0] === "cell" ? ["√", ...inner(of, 5)] : ["√(", ...inner(of), ")"];
      if (name === "exp") return [span("e"), raised(...inner(of))];
      if (name === "abs") return ["|", ...inner(of), "|"];
      if (name === "relu") return ["max(0, ", ...inner(of), ")"];
      if (name === "−") return closed(["−", ...inner(of, BINDS["·"])], 1);
      return [`${name}(`, ...inner(of), ")"];
    }
    if (kind === "fold") {
      const [fold, variable, over, body] = rest;
      const least = fold === "max" ? 0 : SUMMAND;
      const terms = running(over).map((at) => () => this.parts(body, { ...where, [variable]: at }, least, 3));
      if (fold === "max") return ["max(", ...this.joined(terms, ", "), ")"];
      if (fold === "mean") return ["(", ...this.joined(terms, " + "), `) / ${terms.length}`];
      return closed(this.joined(terms, " + "), terms.length > 1 ? 1 : 5);
    }
    const [left, right] = rest;
    if (kind === "^") return [...inner(left, 5), raised(...inner(right))];
    if (BINDS[kind] === 0) return ["[", ...inner(left), ` ${kind} `, ...inner(right), "]"];
    const between = kind === "·" ? "·" : ` ${kind} `;
    const after = BINDS[kind] + (kind === "−" || kind === "/" ? 1 : 0);
    return closed([...inner(left, BINDS[kind]), between, ...inner(right, Math.max(after, SUMMAND))], BINDS[kind]);
  }

  // An operand: the number in the colour of its tensor, which knows its cell if that is shown
  term([, key, rowAt, colAt], where, binds, digits) {
    const panel = this.find(key);
    const at = [placed(rowAt, where), placed(colAt, where)];
    const node = span(this.number(entry(panel, ...at), digits, binds), "matrix-term");
    node.style.color = this.colors[panel.meaning] ?? "";
    const [r, c] = at.map((index, axis) => index - (panel.first?.[axis] ?? 0));
    if (r >= 0 && r < panel.rows && c >= 0 && c < panel.cols) node.dataset.at = `${key} ${r} ${c}`;
    return node;
  }

  joined(terms, between) {
    const parts = [];
    const folded = !this.unfolded && terms.length > TERMS.most;
    terms.forEach((term, at) => {
      if (folded && at >= TERMS.first && at < terms.length - TERMS.last) {
        if (at === TERMS.first) parts.push(between, this.more(terms.length - TERMS.first - TERMS.last));
        return;
      }
      parts.push(...(at ? [between] : []), ...term());
    });
    return parts;
  }

  more(count) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "matrix-more";
    button.textContent = `… ${count} …`;
    return button;
  }

  // The same with each half worked out; null where nothing would change
  halved(formula) {
    if (formula[0] === "choose") return this.halved(this.value(formula[1]) ? formula[2] : formula[3]);
    const simple = (part) => ["number", "cell", "index", "named"].includes(part[0]);
    const worked = (part) => (simple(part) ? part : ["number", this.value(part), ""]);
    if (formula[0] in SIGNS) {
      const [kind, ...halves] = formula;
      return halves.every(simple) ? null : this.parts([kind, ...halves.map(worked)]);
    }
    if (formula[0] === "call" && !simple(formula[2])) return this.parts(["call", formula[1], worked(formula[2])]);
    return null;
  }

  // A single number of a matrix that is not drawn is named with its indices: no cell says which it is
  cited([kind, key, rowAt, colAt]) {
    if (kind !== "cell" || this.find(key).rows) return null;
    const panel = this.find(key);
    return [maths("math", indexed(panel, ...[rowAt, colAt].map((place) => placed(place, this.where))))];
  }

  // One line: name = numbers = halves worked out = result
  line(name, formula, result) {
    const line = document.createElement("p");
    const sides = [this.cited(formula) ?? this.parts(formula), this.halved(formula)].filter(Boolean);
    const text = short(result, 4);
    const said = sides.map((side) => side.map((part) => part.textContent ?? part).join(""));
    // A side that says the same as the next one is left out, but for an operand, which leads to its cell
    sides.forEach((side, at) => {
      if (said[at] !== (said[at + 1] ?? text) || side.some((part) => part.dataset?.at)) line.append(at ? " = " : "", ...side);
    });
    line.prepend(name, " = ");
    line.append(line.childNodes.length > 2 ? " = " : "", span(text, "matrix-result"));
    return line;
  }

  // The lines of a cell's formula; the steps that it names come first
  lines(name, formula, result) {
    const steps = [...stepsOf(formula)].map(([step, body]) => this.line(step, body, this.value(body)));
    return [...steps, this.line(name, formula, result)];
  }
}

// The named steps of a formula, each after those that it is made of
function stepsOf(formula, found = new Map()) {
  for (const part of formula) if (Array.isArray(part) && typeof part[0] === "string") stepsOf(part, found);
  if (formula[0] === "named") found.set(formula[1], formula[2]);
  return found;
}
