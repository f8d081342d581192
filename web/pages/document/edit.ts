import type { Input, Reply } from '../../api/families.ts';

type Change = NonNullable<Input<'documents', 'update'>['body']>;

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** Items of a line with commas between them, once each. */
export const itemsIn = (line: string): string[] => [
  ...new Set(
    line
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
];

/** Fields of a document that a form changes; null: none. Only what was changed is sent, so that a generated title stays one. */
export function changeIn(
  detail: Pick<Reply<'documents', 'get'>, 'title' | 'filename' | 'tags' | 'languages'>,
  form: FormData,
): Change | null {
  const [title, filename, tags] = [textOf(form, 'title'), textOf(form, 'filename'), itemsIn(textOf(form, 'tags'))];
  const languages = itemsIn(textOf(form, 'languages'));
  const change = {
    ...(title === (detail.title ?? '') ? {} : { title: title === '' ? null : title }),
    ...(filename === (detail.filename ?? '') || filename === '' ? {} : { filename }),
    ...(tags.join() === detail.tags.join() ? {} : { tags }),
    ...(languages.join() === (detail.languages ?? []).join() ? {} : { languages }),
  };
  return Object.keys(change).length === 0 ? null : change;
}
