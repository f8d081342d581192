/** A filled template, and its words apart from the values in it. */
export interface Filled {
  readonly text: string;
  /** The template with {1}, {2}, ... in place of its values. */
  readonly words: string;
  readonly values: readonly string[];
}

const mark = (index: number): string => `\u0001${index}\u0002`;
const marks = /\u0001(\d+)\u0002/g;
const reserved = /[\u0001\u0002]/g;

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
};

/** Fills a template and keeps its words apart: they are the author's, the values come from documents. Errors: those of `fill`. */
export async function filledTemplate(
  template: string,
  fill: (template: string, asText: (value: unknown) => string) => Promise<string>,
): Promise<Filled> {
  const values: string[] = [];
  const marked = await fill(template.replaceAll(reserved, ''), (value) => mark(values.push(textOf(value))));
  return {
    text: marked.replaceAll(marks, (_, index: string) => values[Number(index) - 1] ?? ''),
    words: marked.replaceAll(marks, '{$1}'),
    values,
  };
}
