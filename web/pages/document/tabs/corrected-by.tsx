import { Time } from '../../../parts/time.tsx';
import { useSession } from '../../../shell/session.ts';
import { document as words } from '../../../text/document.ts';
import { shell } from '../../../text/shell.ts';

interface CorrectedByProps {
  readonly source: 'run' | 'person' | 'agent';
  readonly author: string | null;
  readonly at: string;
}

/** Author and time of a correction. Nothing for versions that a run made. */
export function CorrectedBy({ source, author, at }: CorrectedByProps) {
  const { credential } = useSession();
  if (source === 'run' || author === null) return null;
  return (
    <span>
      {words.correctedBy(author === credential.id ? shell.you : `${words.by[source]} ${author}`)} <Time at={at} />
    </span>
  );
}
