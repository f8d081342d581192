import { Link } from '../../router/link.tsx';
import type { Reply } from '../../api/families.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { experiments as words } from '../../text/experiments.ts';
import { wordDiff, type Piece } from './word-diff.ts';

export type Pair = NonNullable<Reply<'experiments', 'get'>['documents']>[number];
type Cell = NonNullable<Pair['variant']>;

interface SideProps {
  readonly title: string;
  readonly cell: Cell | null;
  readonly pieces: readonly Piece[];
  readonly tone: string;
}

function Side({ title, cell, pieces, tone }: SideProps) {
  return (
    <section className="grid min-w-0 content-start gap-1.5" aria-label={title}>
      <h3 className="flex items-baseline justify-between gap-2">
        {title}
        <span className="text-xs font-normal text-muted">
          {words.value}: {cell?.value?.toFixed(3) ?? words.missing}
        </span>
      </h3>
      {cell === null ? (
        <p className="rounded-md border border-dashed border-line-strong p-3 text-muted">{words.missingLong}</p>
      ) : (
        <pre
          tabIndex={0}
          dir="auto"
          className="max-h-[55dvh] overflow-auto rounded-md border border-line bg-bg p-3 font-mono text-xs whitespace-pre-wrap"
        >
          {pieces.map(({ text, isChanged }, at) =>
            isChanged ? (
              // eslint-disable-next-line react/no-array-index-key -- pieces of a text have no other name than their place
              <span key={at} className={`rounded-sm underline decoration-2 underline-offset-2 ${tone}`}>
                {text}
              </span>
            ) : (
              text
            ),
          )}
        </pre>
      )}
      {cell?.noteText !== null && cell?.noteText !== undefined && (
        <p className="text-xs text-muted" dir="auto">
          {cell.noteText}
        </p>
      )}
    </section>
  );
}

interface OutputsDialogProps {
  readonly pair: Pair;
  readonly variant: string;
  readonly baseline: string;
  readonly onClose: () => void;
}

/** Both outputs of a document side by side; words that only one of them has are marked. */
export function OutputsDialog({ pair, variant, baseline, onClose }: OutputsDialogProps) {
  const [before, after] = wordDiff(pair.baseline?.outputText ?? '', pair.variant?.outputText ?? '');
  return (
    <Dialog title={words.outputs} wide onClose={onClose}>
      <div className="grid gap-3">
        <p className="text-xs text-muted">
          <Link
            to="/documents/$id"
            params={{ id: pair.documentId }}
            title={pair.documentId}
            dir="auto"
            className="text-accent hover:underline"
          >
            {pair.title ?? pair.documentId}
          </Link>{' '}
          {words.cut}
        </p>
        <div className="grid gap-4 sm:grid-cols-2">
          <Side
            title={baseline === words.baseline ? baseline : `${baseline} (${words.baseline})`}
            cell={pair.baseline}
            pieces={before}
            tone="bg-bad-soft text-bad"
          />
          <Side title={variant} cell={pair.variant} pieces={after} tone="bg-ok-soft text-ok" />
        </div>
      </div>
    </Dialog>
  );
}
