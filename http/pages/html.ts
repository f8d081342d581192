const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that is safe to send. Only `html` makes it. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
export type { Markup };

/** Nothing is written for null and false; a list is written without anything between. */
export type Content = string | number | Markup | null | false | readonly Content[];

function written(content: Content): string {
  if (content === null || content === false) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(written).join('');
  return String(content).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** A piece of a page: what is put in is text, unless it was made here. Attributes have to be in quotes. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(strings.map((string, index) => string + written(contents[index] ?? null)).join(''));
}

/** A constant of this program, as it is. */
export function verbatim(constant: string): Markup {
  return new Markup(constant);
}
