import { useState, type SubmitEvent } from 'react';
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
  const [base] = useState(document);
  const correct = useChange('operators', 'correctDescription', {
    outdated: [['documents'], ['operators', 'descriptions']],
    done: words.descriptionCorrected,
    showsError: true,
    onDone: onClose,
  });
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const description = new FormData(event.currentTarget).get('description');
    if (typeof description !== 'string') return;
    if (description.trim() === base.description) onClose();
    else correct.mutate({ params: { id: base.id }, body: { baseDescriptionId: base.descriptionId, description } });
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
        error={correct.error?.message}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{shell.cancel}</Button>
        <Button type="submit" look="primary" busy={correct.isPending}>
          {words.saveCell}
        </Button>
      </div>
    </form>
  );
}
