import { useState, type SubmitEvent } from 'react';
import { useChange } from '../../../api/use-change.ts';
import type { TextPage } from '../../../page-view/words.ts';
import { Button } from '../../../parts/button.tsx';
import { inputClass } from '../../../parts/input-class.ts';
import { document as words } from '../../../text/document.ts';
import { shell } from '../../../text/shell.ts';
import { changesOf, textOf } from './corrections.ts';

interface TextEditorProps {
  readonly documentId: string;
  readonly ocrResultId: string;
  readonly page: TextPage;
  readonly onClose: () => void;
}

/** The lines of a page as text boxes. It keeps the version that it began with: the server refuses to write over a newer one. */
export function TextEditor({ documentId, ...given }: TextEditorProps) {
  const [{ ocrResultId, page }] = useState(given);
  const { onClose } = given;
  const correct = useChange('operators', 'correctOcr', {
    outdated: [['documents']],
    done: words.textCorrected,
    showsError: true,
    onDone: onClose,
  });
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const texts = new FormData(event.currentTarget).getAll('line').map(String);
    const changes = changesOf(page.index, page.lines, texts);
    if (changes.length === 0) onClose();
    else correct.mutate({ params: { id: documentId }, body: { baseOcrResultId: ocrResultId, changes } });
  };
  return (
    <form
      className="grid gap-3"
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <p className="text-xs text-muted">{words.correctHint}</p>
      <div className="grid gap-1 rounded-lg border border-line bg-panel p-2 lg:max-h-[calc(100dvh-18rem)] lg:overflow-y-auto">
        {page.lines.map((line, index) => (
          <input
            key={line.box.join(' ')}
            name="line"
            dir="auto"
            maxLength={2_000}
            aria-label={words.lineNumber(index + 1)}
            defaultValue={textOf(line)}
            className={inputClass}
          />
        ))}
      </div>
      {correct.error !== null && (
        <p role="alert" className="text-bad">
          {correct.error.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{shell.cancel}</Button>
        <Button type="submit" look="primary" busy={correct.isPending}>
          {words.saveCell}
        </Button>
      </div>
    </form>
  );
}
