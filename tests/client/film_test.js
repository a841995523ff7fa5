import { deepEqual, equal, ok } from "node:assert/strict";
import { vtt, wrapped } from "../../assets/story/film.js";

Deno.test("captions follow each other, with hours left out and markup as text", () => {
  const cues = [{ from: 0, to: 3250, text: "a & b" }, { from: 3250, to: 61_004, text: "<s> and 词" }];
  equal(vtt(cues), "WEBVTT\n\n00:00.000 --> 00:03.250\na &amp; b\n\n00:03.250 --> 01:01.004\n&lt;s&gt; and 词\n");
});

Deno.test("a caption breaks at spaces and between Chinese characters, and loses nothing", () => {
  const measure = (text) => [...text].length;
  deepEqual(wrapped("one two three", 7, measure), ["one two", "three"]);
  deepEqual(wrapped("两朵红色的花", 4, measure), ["两朵红色", "的花"]);
  deepEqual(wrapped("每过一站，转 57°，", 4, measure), ["每过一", "站，转", "57°，"]);
  deepEqual(wrapped("", 4, measure), [""]);
  const long = "Each query is compared with every key, 每个查询与每个键比较";
  const lines = wrapped(long, 12, measure);
  ok(lines.every((line) => measure(line) <= 12));
  equal(lines.join("").replace(/ /g, ""), long.replace(/ /g, ""));
});
