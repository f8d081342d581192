import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type SubmitEvent } from 'react';
import { isConflict } from '../../../api/problem.ts';
import { useChange } from '../../../api/use-change.ts';
import type { TextPage } from '../../../page-view/words.ts';
import { Button } from '../../../parts/button.tsx';
import { inputClass } from '../../../parts/input-class.ts';
import { document as words } from '../../../text/document.ts';
import { shell } from '../../../text/shell.ts';
import { changesOf, keptTexts, textOf } from './corrections.ts';

interface TextEditorProps {
  readonly documentId: string;
  readonly ocrResultId: string;
  readonly page: TextPage;
  readonly onClose: () => void;
}

/** The lines of a page as text boxes. It keeps the version that it began with: the server refuses to write over a newer one. */
export function TextEditor({ documentId, onClose, ...newest }: TextEditorProps) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [base, begin] = useState({ ...newest, texts: newest.page.lines.map(textOf) });
  const correct = useChange('operators', 'correctOcr', {
    outdated: [['documents']],
    done: words.textCorrected,
    showsError: true,
    onDone: onClose,
  });
  const typed = (): string[] => (form.current === null ? [] : new FormData(form.current).getAll('line').map(String));
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const changes = changesOf(base.page.index, base.page.lines, typed());
    if (changes.length === 0) onClose();
    else
      correct.mutate(
        { params: { id: documentId }, body: { baseOcrResultId: base.ocrResultId, changes } },
        { onError: (error) => isConflict(error) && void client.invalidateQueries({ queryKey: ['documents', 'ocr'] }) },
      );
  };
  const goOn = (): void => {
    begin({ ...newest, texts: keptTexts(base.page.lines, typed(), newest.page.lines) });
    correct.reset();
  };
  return (
    <form
      ref={form}
      className="grid gap-3"
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <p className="text-xs text-muted">{words.correctHint}</p>
      <div className="grid gap-1 rounded-lg border border-line bg-panel p-2 lg:max-h-[calc(100dvh-18rem)] lg:overflow-y-auto">
        {base.page.lines.map((line, index) => (
          <input
            key={`${base.ocrResultId} ${line.box.join(' ')}`}
            name="line"
            dir="auto"
            maxLength={2_000}
            aria-label={words.lineNumber(index + 1)}
            defaultValue={base.texts[index]}
            className={inputClass}
          />
        ))}
      </div>
      {correct.error !== null && (
        <p role="alert" className="text-bad">
          {isConflict(correct.error) ? words.textChanged : correct.error.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{shell.cancel}</Button>
        {isConflict(correct.error) ? (
          <Button look="primary" disabled={newest.ocrResultId === base.ocrResultId} onClick={goOn}>
            {words.goOnWithNew}
          </Button>
        ) : (
          <Button type="submit" look="primary" busy={correct.isPending}>
            {words.saveCell}
          </Button>
        )}
      </div>
    </form>
  );
}
