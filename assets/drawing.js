// Markup that comes from the server, as a drawing: nothing in it runs, and it leads nowhere but on the page.

const ACTIVE = "script, style, iframe, object, embed, foreignObject, animate, set";

/** Puts a drawing in a place, instead of what is there. @param {Element} place @param {string} markup */
export function draw(place, markup) {
  const { body } = new DOMParser().parseFromString(markup, "text/html");
  for (const part of body.querySelectorAll(ACTIVE)) part.remove();
  for (const part of body.querySelectorAll("*"))
    for (const { name, value } of [...part.attributes])
      if (/^on/i.test(name) || (/href$|^src$|action$/i.test(name) && !value.startsWith("#"))) part.removeAttribute(name);
  place.replaceChildren(...body.childNodes);
}
