import { useQuery } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { useMemo, type ReactNode } from 'react';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { StateBadge } from '../../parts/badge.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { duration } from '../../text/format.ts';
import { runs as words } from '../../text/runs.ts';
import { wordDiff, type Piece } from '../experiment/word-diff.ts';

type Run = Reply<'runs', 'get'>;

/** Calls for the differences of longer outputs would take seconds. */
const mostCharacters = 50_000;

const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2)).slice(
    0,
    mostCharacters,
  );

function Marked({
  pieces,
  tone,
  label,
}: {
  readonly pieces: readonly Piece[];
  readonly tone: string;
  readonly label: string;
}) {
  return (
    <pre
      tabIndex={0}
      dir="auto"
      aria-label={label}
      className="max-h-96 min-w-0 overflow-auto rounded-md border border-line bg-bg p-2.5 font-mono text-xs whitespace-pre-wrap"
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
  );
}

/** One output of both runs. */
function Output({ name, left, right }: { readonly name: string; readonly left: unknown; readonly right: unknown }) {
  const [before, after] = useMemo(() => wordDiff(textOf(left), textOf(right)), [left, right]);
  const isSame = ![...before, ...after].some(({ isChanged }) => isChanged);
  return (
    <section className="grid gap-1.5">
      <h3 className="flex items-baseline gap-2">
        {name}
        <span className="text-xs font-normal text-muted">{isSame ? words.compareSame : words.compareDiffers}</span>
      </h3>
      <div className="grid gap-3 md:grid-cols-2">
        <Marked pieces={before} tone="bg-bad-soft text-bad" label={`${name}, ${words.compareFirst}`} />
        <Marked pieces={after} tone="bg-ok-soft text-ok" label={`${name}, ${words.compareSecond}`} />
      </div>
    </section>
  );
}

function Head({ run, title }: { readonly run: Run; readonly title: string }) {
  const { runId, status, version, createdAt, finishedAt, documentId, steps, error, draft } = run;
  const tokens = steps.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0), 0);
  return (
    <div className="grid min-w-0 content-start gap-1 rounded-lg border border-line bg-panel p-3">
      <h2 className="flex flex-wrap items-center gap-2">
        <Link to="/runs/$id" params={{ id: runId }} className="hover:underline">
          {title}
        </Link>
        <StateBadge state={status} />
      </h2>
      <p className="flex flex-wrap gap-x-3 text-muted">
        <span>{draft === undefined ? words.version(version) : words.draft(draft.revision)}</span>
        <Time at={createdAt} />
        {finishedAt !== null && <span>{duration(Date.parse(finishedAt) - Date.parse(createdAt))}</span>}
        {tokens > 0 && <span>{words.allTokens(tokens)}</span>}
        <Link to="/documents/$id" params={{ id: documentId }} className="text-accent hover:underline">
          {words.document}
        </Link>
      </p>
      {error !== undefined && (
        <p className="text-bad" dir="auto">
          {error.message}
        </p>
      )}
    </div>
  );
}

function Both({ left, right }: { readonly left: Run; readonly right: Run }) {
  const names = [...new Set([...Object.keys(left.outputs ?? {}), ...Object.keys(right.outputs ?? {})])];
  return (
    <div className="grid gap-5">
      <div className="grid gap-3 md:grid-cols-2">
        <Head run={left} title={words.compareFirst} />
        <Head run={right} title={words.compareSecond} />
      </div>
      {names.length === 0 && <p className="text-muted">{words.compareNothing}</p>}
      {names.map((name) => (
        <Output key={name} name={name} left={left.outputs?.[name]} right={right.outputs?.[name]} />
      ))}
    </div>
  );
}

/** Two runs side by side: how they went, and their outputs with the words marked that only one of them has. */
export function CompareRuns({ ids: [first, second] }: { readonly ids: readonly [string, string] }): ReactNode {
  const left = useQuery(read('runs', 'get', { params: { id: first } }));
  const right = useQuery(read('runs', 'get', { params: { id: second } }));
  return (
    <Loaded query={left}>
      {(one) => <Loaded query={right}>{(other) => <Both left={one} right={other} />}</Loaded>}
    </Loaded>
  );
}
