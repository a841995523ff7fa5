// What the scripts of a page leave on the window.

interface Window {
  /** Tells a page its language and its words. Of access.js. */
  glassformerSpeaks?: (lang: string, words: Record<string, any>) => void;
  /** Says where the file of what can be found is, and the words of the search. Of search.js. */
  /** Says what the list of keys says. Of keys.js. */
  glassformerKeys?: (words: { title: string; close: string; groups: { name: string; keys: string[][] }[] }) => void;
  glassformerSearches?: (file: string, words: Record<string, string>) => void;
  /** Whether a script has run: Streamlit may run it again. */
  glassformerPage?: boolean;
  glassformerLecture?: boolean;
  glassformerPresenter?: boolean;
  glassformerPaper?: boolean;
  glassformerSlides?: boolean;
}
