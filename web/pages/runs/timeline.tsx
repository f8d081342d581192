import { useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { duration } from '../../text/format.ts';
import { runs as words } from '../../text/runs.ts';

export type Step = Reply<'runs', 'get'>['steps'][number];

const colours: Readonly<Record<Step['status'], string>> = {
  running: 'bg-info animate-pulse',
  waiting: 'bg-warn [background-image:repeating-linear-gradient(45deg,transparent_0_4px,var(--warn-soft)_4px_8px)]',
  succeeded: 'bg-ok',
  failed: 'bg-bad',
  continued: 'bg-warn',
  canceled: 'bg-muted',
};

interface TimelineProps {
  readonly steps: readonly Step[];
  /** Progress of a step that reads pages. */
  readonly reading: Reply<'runs', 'get'>['reading'];
  readonly chosen: string | undefined;
  readonly onChoose: (stepId: string) => void;
}

/** Steps as bars over time: what ran beside what, what waited, what took long. */
export function Timeline({ steps, reading, chosen, onChoose }: TimelineProps) {
  const [now] = useState(() => Date.now());
  const begins = steps.map(({ startedAt }) => Date.parse(startedAt));
  const ends = steps.map(({ startedAt, finishedAt, ms }) =>
    finishedAt === null ? now : Math.max(Date.parse(finishedAt), Date.parse(startedAt) + (ms ?? 0)),
  );
  const from = Math.min(...begins);
  const span = Math.max(1, Math.max(...ends) - from);
  return (
    <ol className="grid gap-0.5">
      {steps.map((step, index) => {
        const left = ((begins[index] ?? from) - from) / span;
        const width = ((ends[index] ?? from) - (begins[index] ?? from)) / span;
        return (
          <li key={step.stepId}>
            <button
              type="button"
              aria-pressed={step.stepId === chosen}
              onClick={() => onChoose(step.stepId)}
              className="grid w-full grid-cols-[6.5rem_1fr_3.5rem] items-center gap-2 rounded-md sm:grid-cols-[minmax(6rem,11rem)_1fr_4.5rem] sm:gap-3 px-2 py-1 text-start hover:bg-hover aria-pressed:bg-accent-soft"
            >
              <span dir="auto" className="truncate">
                {step.nodeId}
                {step.attempt > 1 && <span className="text-xs text-muted"> {words.attempt(step.attempt)}</span>}
                {step.status === 'running' && step.nodeId === reading?.nodeId && (
                  <span className="block text-xs text-muted">{words.pagesRead(reading.pagesRead, reading.pages)}</span>
                )}
              </span>
              <span className="relative h-3 rounded-sm bg-hover">
                <span
                  className={`absolute inset-y-0 min-w-1 rounded-sm ${colours[step.status]}`}
                  style={{
                    insetInlineStart: `${Math.min(99, left * 100)}%`,
                    width: `${Math.min(100 - left * 100, width * 100)}%`,
                  }}
                />
              </span>
              <span className="text-end text-xs text-muted">
                <span className="sr-only">{words.stepStates[step.status]}, </span>
                {step.ms === null ? words.stepStates[step.status] : duration(step.ms)}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
