import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isConflict } from '../../../api/problem.ts';
import { useChange } from '../../../api/use-change.ts';
import { Button } from '../../../parts/button.tsx';
import { TextArea } from '../../../parts/field.tsx';
import { document as words } from '../../../text/document.ts';
import { shell } from '../../../text/shell.ts';
import type { Detail } from '../reading.ts';

interface DescriptionEditorProps {
  readonly document: Pick<Detail, 'id' | 'description' | 'descriptionId'>;
  readonly onClose: () => void;
}

/** The description to correct. It keeps the version that it began with: the server refuses to write over a newer one. */
export function DescriptionEditor({ document, onClose }: DescriptionEditorProps) {
  const client = useQueryClient();
  const [base, begin] = useState(document);
  const correct = useChange('operators', 'correctDescription', {
    outdated: [['documents'], ['operators', 'descriptions']],
    done: words.descriptionCorrected,
    showsError: true,
    onDone: onClose,
  });
  const isStale = isConflict(correct.error);
  const isNewer = document.descriptionId !== base.descriptionId;
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const description = new FormData(event.currentTarget).get('description');
    if (typeof description !== 'string') return;
    // The person has seen the newer one before they replace it.
    const { id, descriptionId } = isStale ? document : base;
    begin(isStale ? document : base);
    if (description.trim() === base.description) onClose();
    else
      correct.mutate(
        { params: { id }, body: { baseDescriptionId: descriptionId, description } },
        { onError: (error) => isConflict(error) && void client.invalidateQueries({ queryKey: ['documents', 'get'] }) },
      );
  };
  return (
    <form className="grid gap-3" onSubmit={save}>
      <TextArea
        name="description"
        label={words.tabs.description}
        dir="auto"
        rows={8}
        required
        maxLength={20_000}
        defaultValue={base.description ?? ''}
        error={isStale ? undefined : correct.error?.message}
      />
      {isStale && (
        <div role="alert" className="grid gap-1">
          <p className="text-bad">{words.descriptionChanged}</p>
          {isNewer && (
            <blockquote dir="auto" className="border-s-2 border-line-strong ps-3 whitespace-pre-wrap">
              {document.description}
            </blockquote>
          )}
        </div>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{shell.cancel}</Button>
        <Button type="submit" look="primary" busy={correct.isPending} disabled={isStale && !isNewer}>
          {isStale ? words.replaceIt : words.saveCell}
        </Button>
      </div>
    </form>
  );
}
