// What Python tells a story: `story` of ui/components/story.py, and actors as ui/figures/actors.py describes them.

/** An actor's kind and those of its fields that are not as by default. */
export type Actor = { name: string; kind: string; x: number; y: number; [field: string]: any };
/** Who is on the stage, by name. */
export type Cast = Map<string, Actor>;
export type BeatMessage = { glide: number; rest: number; actors: Actor[]; gone: string[] }; // without a kind: what is new
export type SceneMessage = {
  sentence: string; // markup
  origin: string;
  wide: BeatMessage[] | number; // how many there are, of a scene that comes later
  narrow: BeatMessage[] | number;
  asks: boolean; // a question, before the next scene
};
export type StoryMessage = {
  name: string; // of the story: where its scenes are others, this is another one; "" for a time-lapse
  scenes: string; // a JSON list of SceneMessage, or "" where the browser should have all of them
  cue: number; // the scene to go to, where its number is news; < 0: from the first on, as who has pressed Play
  number: number;
  sizes: Record<"wide" | "narrow", [width: number, height: number]>;
  words: Record<string, string>;
  poster?: number; // the scene at whose end it stands before it begins; a time-lapse has none
  colors: Record<string, any>;
  stops?: number[]; // of a time-lapse: what its slider calls each moment; its cue is a moment then
  fixed?: boolean; // the reader may play it, but choose no moment
  stays?: boolean; // it was taken over: what is on the stage stays there, above the controls
};
/** The message, read. */
export type Read = Omit<StoryMessage, "scenes"> & { scenes: SceneMessage[] };
/** A beat of the whole story, with who is on the stage. */
export type Moment = { scene: number; glide: number; rest: number; cast: Cast; last: boolean };
