import { lazy, memo, Suspense, useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { Badge } from '../../../parts/badge.tsx';
import { Empty, Skeleton } from '../../../parts/states.tsx';
import { useCan } from '../../../shell/session.ts';
import type { TextLine, WordAt } from '../../../page-view/words.ts';
import { document as words } from '../../../text/document.ts';
import { useLitWord, type Lit } from '../place.ts';
import { doubtfulBelow } from '../read-text.ts';
import type { Reading } from '../reading.ts';
import { CorrectedBy } from './corrected-by.tsx';
import { TextTools } from './text-tools.tsx';

const TextEditor = lazy(async () => ({ default: (await import('./text-editor.tsx')).TextEditor }));

/** Scrolls the text, and nothing around it, until the element is seen. */
function reveal(element: HTMLElement | null): void {
  const panel = element?.closest<HTMLElement>('[data-scrolls]');
  if (element === null || panel === null || panel === undefined || panel.scrollHeight <= panel.clientHeight) return;
  const [inner, outer] = [element.getBoundingClientRect(), panel.getBoundingClientRect()];
  if (inner.top < outer.top) panel.scrollTop -= outer.top - inner.top + 24;
  if (inner.bottom > outer.bottom) panel.scrollTop += inner.bottom - outer.bottom + 24;
}

const Line = memo(function Line({
  line,
  index,
  lit,
}: {
  readonly line: TextLine;
  readonly index: number;
  readonly lit: Lit;
}) {
  const element = useRef<HTMLParagraphElement>(null);
  const at = useLitWord(lit, index);
  useEffect(() => {
    if (at >= 0) reveal(element.current);
  }, [at]);
  return (
    <p ref={element} dir="auto">
      {line.words.map(({ text, confidence, box }, word) => (
        <span key={box.join(' ')}>
          <span
            data-line={index}
            data-word={word}
            title={confidence < doubtfulBelow ? words.confidenceOf(Math.round(confidence)) : undefined}
            className={`rounded-sm ${word === at ? 'bg-accent-soft outline-2 outline-accent' : ''} ${confidence < doubtfulBelow ? 'underline decoration-warn decoration-dashed decoration-2 underline-offset-4' : ''}`}
          >
            {text}
          </span>{' '}
        </span>
      ))}
    </p>
  );
});

function wordOf(event: PointerEvent | { readonly target: EventTarget }): WordAt | null {
  const element = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-word]') : null;
  if (element === null) return null;
  return { line: Number(element.dataset['line']), word: Number(element.dataset['word']) };
}

/** The word that an arrow key leads to. */
function step(lines: readonly TextLine[], at: WordAt | null, key: string): WordAt | undefined {
  if (at === null) return lines.length === 0 ? undefined : { line: 0, word: 0 };
  const { line, word } = at;
  const last = (index: number): number => Math.max(0, (lines[index]?.words.length ?? 1) - 1);
  if (key === 'ArrowRight') return word < last(line) ? { line, word: word + 1 } : { line: line + 1, word: 0 };
  if (key === 'ArrowLeft') return word > 0 ? { line, word: word - 1 } : { line: line - 1, word: last(line - 1) };
  const next = key === 'ArrowDown' ? line + 1 : line - 1;
  return { line: next, word: Math.min(word, last(next)) };
}

/** The recognized text of the page that is shown. A word below the pointer is lit on the page too. */
export function TextTab({ reading }: { readonly reading: Reading }) {
  const { document, version, unfinishedBy, text, lit, place } = reading;
  const canCorrect = useCan('documents:write');
  const [edited, edit] = useState<number | null>(null);
  if (document.ocr === null && document.reading === undefined && unfinishedBy === undefined)
    return <Empty title={words.noTextTitle}>{words.noText}</Empty>;
  if (unfinishedBy !== undefined && text === undefined)
    return <Empty title={words.noPageYetTitle}>{words.noPageYet}</Empty>;
  const lines = text?.lines ?? [];
  const show = (at: WordAt | null): void => {
    const found = at === null ? undefined : lines[at.line]?.words[at.word];
    if (found !== undefined) place.toBox(place.page, found.box);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') show(lit.get());
    if (!event.key.startsWith('Arrow') || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const next = step(lines, lit.get(), event.key);
    event.preventDefault();
    if (next !== undefined && lines[next.line] !== undefined) lit.set(next);
  };
  if (edited === place.page && version !== undefined && text !== undefined)
    return (
      <Suspense fallback={<Skeleton />}>
        <TextEditor documentId={document.id} ocrResultId={version.ocrResultId} page={text} onClose={() => edit(null)} />
      </Suspense>
    );
  return (
    <div className="grid gap-3">
      <TextTools
        reading={reading}
        onShow={show}
        onCorrect={canCorrect && version !== undefined && lines.length > 0 ? () => edit(place.page) : undefined}
      />
      {text !== undefined && (
        <p className="flex flex-wrap gap-2 text-xs text-muted">
          <Badge>{text.source === 'text-layer' ? words.textLayer : words.recognized}</Badge>
          {text.source === 'ocr' && lines.length > 0 && <span>{words.confidenceOf(Math.round(text.confidence))}</span>}
          <span>{unfinishedBy ?? document.ocr?.modelLabel}</span>
          {version !== undefined && <CorrectedBy {...version} at={version.ocrCreatedAt} />}
        </p>
      )}
      {text !== undefined && lines.length === 0 && <p className="text-muted">{words.noTextOfPage}</p>}
      <div
        data-scrolls
        role="group"
        aria-label={words.textLabel}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerOver={(event) => lit.set(wordOf(event))}
        onPointerLeave={() => lit.set(null)}
        onClick={(event) => {
          if (getSelection()?.isCollapsed !== false) show(wordOf(event));
        }}
        className="rounded-lg border border-line bg-panel p-3 leading-relaxed lg:max-h-[calc(100dvh-15rem)] lg:overflow-y-auto"
      >
        {lines.map((line, index) => (
          <Line key={line.box.join(' ')} {...{ line, index, lit }} />
        ))}
      </div>
    </div>
  );
}
