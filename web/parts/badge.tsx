import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleHelp,
  Clock,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { runStates } from '../text/shell.ts';

const tones = {
  quiet: 'bg-hover text-muted',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  accent: 'bg-accent-soft text-accent',
};
export type Tone = keyof typeof tones;

/** A short word about a thing. Its colour repeats what the word says, and never says more. */
export function Badge({
  tone = 'quiet',
  icon,
  children,
}: {
  readonly tone?: Tone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1 rounded-full px-2 py-px text-xs font-medium ${tones[tone]}`}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}

export type RunState = keyof typeof runStates;

const states: Readonly<Record<RunState, readonly [Tone, LucideIcon]>> = {
  queued: ['quiet', CircleDashed],
  running: ['info', CircleDot],
  waiting: ['warn', CircleHelp],
  succeeded: ['ok', CircleCheck],
  failed: ['bad', CircleAlert],
  canceled: ['quiet', Ban],
  timed_out: ['bad', Clock],
  partially_succeeded: ['warn', CircleAlert],
};

/** State of a run or an execution. */
export function StateBadge({ state }: { readonly state: RunState }) {
  const [tone, Icon] = states[state];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden className={state === 'running' ? 'animate-pulse' : ''} />}>
      {runStates[state]}
    </Badge>
  );
}
