import { deepEqual, equal, ok } from "node:assert/strict";
import { between, casts, drawn, eased } from "../../assets/story/tween.js";

const word = (name, x, more = {}) => ({ name, kind: "word", x, y: 10, text: name, ...more });
const grid = (name, values, more = {}) => ({ name, kind: "grid", x: 0, y: 0, width: 30, height: 10, rows: 1, values, ...more });
const cast = (...actors) => new Map(actors.map((actor) => [actor.name, actor]));
const named = (actors, name) => actors.find((actor) => actor.name === name);

Deno.test("a beat says what is new since the one before, and who is gone", () => {
  const [one, other, last] = casts([
    { actors: [word("a", 0), word("b", 5)], gone: [] },
    { actors: [word("a", 8)], gone: ["b"] },
    { actors: [], gone: [] },
  ]);
  deepEqual([...one.keys()], ["a", "b"]);
  deepEqual([...other.values()], [word("a", 8)]);
  equal(one.get("a").x, 0, "the beat before stays as it was");
  deepEqual(last, other);
});

Deno.test("a glide begins where the actors were and ends where they are, at an even ease", () => {
  const [before, after] = [cast(word("a", 0), word("gone", 3)), cast(word("a", 10, { opacity: 0.5 }), word("new", 7))];
  equal(named(between(before, after, 0), "a").x, 0);
  equal(named(between(before, after, 0.25), "a").x, 2.5);
  equal(named(between(before, after, 0.5), "a").opacity, 0.75, "what is not said is as by default");
  deepEqual(between(before, after, 1), [...after.values()]);
  deepEqual([eased(0), eased(0.5), eased(1)], [0, 0.5, 1]);
  for (let part = 0; part < 1; part += 0.05) ok(eased(part + 0.05) > eased(part));
});

Deno.test("who comes fades in, or comes from where it is born; who goes fades out, or goes into another", () => {
  const before = cast(word("home", 100), word("gone", 3), word("poured", 20, { into: "home" }));
  const after = cast(word("home", 100), word("new", 7), word("child", 0, { born: "home" }));
  const half = between(before, after, 0.5);
  deepEqual([named(half, "new").opacity, named(half, "gone").opacity], [0.5, 0.5]);
  equal(named(half, "child").x, 50);
  equal(named(half, "poured").x, 60);
  equal(named(between(before, after, 0), "child").x, 100);
});

Deno.test("a count goes on in whole numbers, and any other number in all of them", () => {
  const at = (from, to, part) => named(between(cast(word("n", 0, { value: from })), cast(word("n", 0, { value: to })), part), "n").value;
  for (const part of [0.01, 0.05, 0.3, 0.77]) ok(Number.isInteger(at(16, 64, part)), "d_k is a whole number");
  equal(at(16, 64, 0.5), 40);
  equal(at(0.5, 2, 0.5), 1.25);
});

Deno.test("numbers of one shape mix, and an empty cell stays empty until it is filled", () => {
  const at = (part) => named(between(cast(grid("g", [0, 4, null])), cast(grid("g", [2, 4, 1])), part), "g").values;
  deepEqual(at(0.5), [1, 4, 1]);
  deepEqual(at(0.25), [0.5, 4, null]);
});

Deno.test("another text or another shape fades over, both in the place on the way", () => {
  const parts = between(cast(word("a", 0)), cast(word("a", 10, { text: "b" })), 0.25);
  deepEqual(parts.map(({ text, x, opacity }) => [text, x, opacity]), [["a", 2.5, 0.75], ["b", 2.5, 0.25]]);
  const grids = between(cast(grid("g", [1, 2])), cast(grid("g", [1, 2, 3])), 0.5);
  deepEqual(grids.map(({ values }) => values.length), [2, 3]);
});

Deno.test("a word that is a number counts on", () => {
  const [before, after] = [cast(word("n", 0, { value: 1, text: "" })), cast(word("n", 0, { value: 3, text: "#" }))];
  deepEqual(between(before, after, 0.5).map(({ value }) => value), [2]);
});

Deno.test("what has a higher level lies over the others", () => {
  const after = cast(word("top", 0, { level: 2 }), word("low", 0), word("middle", 0, { level: 1 }));
  deepEqual(between(after, after, 1).map(({ name }) => name), ["low", "middle", "top"]);
});

Deno.test("of who was there a beat says the fields that are others, and one with a kind is whole", () => {
  const [one, other, whole] = casts([
    { actors: [word("a", 0, { size: 9 })], gone: [] },
    { actors: [{ name: "a", x: 4 }], gone: [] },
    { actors: [word("a", 5)], gone: [] },
  ]);
  deepEqual(other.get("a"), word("a", 4, { size: 9 }));
  equal(one.get("a").x, 0);
  deepEqual(whole.get("a"), word("a", 5), "its size is as by default again");
});

Deno.test("a curve is drawn up to an x, which lies between two of its points or on one", () => {
  const points = [0, 0, 10, -5, 20, 5];
  deepEqual(drawn(points, Infinity), [[0, 0], [10, -5], [20, 5]]);
  deepEqual(drawn(points, 20), [[0, 0], [10, -5], [20, 5]]);
  deepEqual(drawn(points, 10), [[0, 0], [10, -5]]);
  deepEqual(drawn(points, 15), [[0, 0], [10, -5], [15, 0]]);
  deepEqual(drawn(points, 0), [[0, 0]]);
  deepEqual(drawn([], 3), []);
});
