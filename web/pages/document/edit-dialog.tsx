import type { SubmitEvent } from 'react';
import { fieldErrors } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { documents } from '../../text/documents.ts';
import { shell } from '../../text/shell.ts';
import { changeIn } from './edit.ts';
import type { Detail } from './reading.ts';

const words = documents.edit;

/** Title, file name, tags and languages of a document, to change. */
export function EditDialog({ detail, onClose }: { readonly detail: Detail; readonly onClose: () => void }) {
  const change = useChange('documents', 'update', {
    outdated: [['documents']],
    done: words.done,
    showsError: true,
    onDone: onClose,
  });
  const errors = fieldErrors(change.error);
  const errorOf = (list: string) => Object.entries(errors).find(([field]) => field.startsWith(list))?.[1];
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const body = changeIn(detail, new FormData(event.currentTarget));
    if (body === null) onClose();
    else change.mutate({ params: { id: detail.id }, body });
  };
  return (
    <Dialog title={words.open} onClose={onClose}>
      <form className="grid gap-4" onSubmit={save}>
        <TextField
          name="title"
          label={words.title}
          hint={words.titleHint}
          defaultValue={detail.title ?? ''}
          error={errors['title']}
        />
        <TextField
          name="filename"
          label={words.filename}
          defaultValue={detail.filename ?? ''}
          required={detail.filename !== null}
          error={errors['filename']}
        />
        <TextField
          name="tags"
          label={words.tags}
          hint={words.tagsHint}
          defaultValue={detail.tags.join(', ')}
          error={errorOf('tags')}
        />
        <TextField
          name="languages"
          label={words.languages}
          hint={words.languagesHint}
          defaultValue={detail.languages?.join(', ') ?? ''}
          error={errorOf('languages')}
        />
        {change.error !== null && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-bad">
            {change.error.message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="primary" busy={change.isPending}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
