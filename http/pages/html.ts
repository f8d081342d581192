const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that is safe to send. Only `html` creates it. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
export type { Markup };

/** null and false render as nothing; a list renders without separators. */
export type Content = string | number | Markup | null | false | readonly Content[];

function written(content: Content): string {
  if (content === null || content === false) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(written).join('');
  return String(content).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** A fragment of a page. Values are escaped unless they are Markup. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(strings.map((string, index) => string + written(contents[index] ?? null)).join(''));
}

/** Inserts a constant of this program without escaping. */
export function verbatim(constant: string): Markup {
  return new Markup(constant);
}
