import { Ban, CircleAlert, CircleCheck, CircleDot, CircleHelp, Equal, type LucideIcon } from 'lucide-react';
import type { Reply } from '../../api/families.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { experiments as words } from '../../text/experiments.ts';

export type Experiment = Reply<'experiments', 'list'>['experiments'][number];

const verdicts: Readonly<Record<NonNullable<Experiment['verdict']>, readonly [Tone, LucideIcon]>> = {
  better: ['ok', CircleCheck],
  worse: ['bad', CircleAlert],
  equivalent: ['info', Equal],
  inconclusive: ['warn', CircleHelp],
  no_verdict: ['bad', CircleAlert],
};
const statuses: Readonly<Record<Experiment['status'], readonly [Tone, LucideIcon]>> = {
  running: ['info', CircleDot],
  succeeded: ['ok', CircleCheck],
  failed: ['bad', CircleAlert],
  canceled: ['quiet', Ban],
};

/** The verdict in one word. */
export function VerdictBadge({ verdict }: { readonly verdict: NonNullable<Experiment['verdict']> }) {
  const [tone, Icon] = verdicts[verdict];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden />}>
      {words.verdicts[verdict]}
    </Badge>
  );
}

/** State of the work: running, done, failed, canceled. */
export function StatusBadge({ status }: { readonly status: Experiment['status'] }) {
  const [tone, Icon] = statuses[status];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden />}>
      {words.statuses[status]}
    </Badge>
  );
}
