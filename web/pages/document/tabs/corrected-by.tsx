import { Time } from '../../../parts/time.tsx';
import { useSession } from '../../../shell/session.ts';
import { document as words } from '../../../text/document.ts';

interface CorrectedByProps {
  readonly source: 'run' | 'person' | 'agent';
  readonly author: string | null;
  readonly at: string;
}

/** Who corrected a version, and when. Nothing for what a run made. */
export function CorrectedBy({ source, author, at }: CorrectedByProps) {
  const { credential } = useSession();
  if (source === 'run' || author === null) return null;
  return (
    <span>
      {words.correctedBy(author === credential.id ? words.you : `${words.by[source]} ${author}`)} <Time at={at} />
    </span>
  );
}
