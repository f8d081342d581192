import type { Input, Reply } from '../../api/families.ts';

type Change = NonNullable<Input<'documents', 'update'>['body']>;

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** Tags of a line with commas between them, once each. */
const tagsIn = (line: string): string[] => [
  ...new Set(
    line
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** Fields of a document that a form changes; null: none. Only what was changed is sent, so that a generated title stays one. */
export function changeIn(
  detail: Pick<Reply<'documents', 'get'>, 'title' | 'filename' | 'tags'>,
  form: FormData,
): Change | null {
  const [title, filename, tags] = [textOf(form, 'title'), textOf(form, 'filename'), tagsIn(textOf(form, 'tags'))];
  const change = {
    ...(title === (detail.title ?? '') ? {} : { title: title === '' ? null : title }),
    ...(filename === (detail.filename ?? '') || filename === '' ? {} : { filename }),
    ...(tags.join() === detail.tags.join() ? {} : { tags }),
  };
  return Object.keys(change).length === 0 ? null : change;
}
