import { Badge, type Tone } from '../../parts/badge.tsx';
import { records as words } from '../../text/records.ts';
import type { RecordRow } from './cell-value.ts';

const tones: Readonly<Record<RecordRow['status'], Tone>> = { proposed: 'quiet', doubtful: 'warn', confirmed: 'ok' };

/** State of a record. */
export function RecordState({ of: { status } }: { readonly of: RecordRow }) {
  return <Badge tone={tones[status]}>{words.statuses[status]}</Badge>;
}
