// What is said of a cell, as nodes of the page.

import { indexed, maths } from "./mathematics.js";

/** @import { Find } from "./types.d.ts" */
/** @import { Line, Name, Part } from "./sums.js" */

/** One line of a sum. @param {Line} line @param {Find} find @param {Record<string, string>} colors */
export function lineNode({ name, sides, result }, find, colors) {
  const line = document.createElement("p");
  line.append(typeof name === "string" ? name : nameNode(name, find), " = ");
  for (const side of sides) line.append(...side.map((part) => partNode(part, find, colors)), " = ");
  line.append(span(result, "matrix-result"));
  return line;
}

/** @param {Name} name @param {Find} find */
function nameNode({ key, places }, find) {
  return maths("math", indexed(find(key), ...places));
}

/** @param {Part} part @param {Find} find @param {Record<string, string>} colors @returns {Node | string} */
function partNode(part, find, colors) {
  if (typeof part === "string") return part;
  if ("raised" in part) {
    const node = document.createElement("sup");
    node.append(...part.raised.map((inner) => partNode(inner, find, colors)));
    return node;
  }
  if ("more" in part) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "matrix-more";
    button.textContent = `… ${part.more} …`;
    return button;
  }
  if ("places" in part) return nameNode(part, find);
  if (!part.key) return part.text;
  // An operand in the colour of its tensor
  const node = span(part.text, "matrix-term");
  node.style.color = colors[find(part.key).meaning ?? ""] ?? "";
  if (part.shown) node.dataset.at = `${part.key} ${part.shown.join(" ")}`;
  return node;
}

/** @param {string} text @param {string} name */
function span(text, name) {
  const node = document.createElement("span");
  node.className = name;
  node.append(text);
  return node;
}
