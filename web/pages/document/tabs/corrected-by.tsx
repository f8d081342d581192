import { Time } from '../../../parts/time.tsx';
import { useAuthorName } from '../../../shell/session.ts';
import { document as words } from '../../../text/document.ts';
import { shell } from '../../../text/shell.ts';

interface CorrectedByProps {
  readonly source: 'run' | 'person' | 'agent';
  readonly author: string | null;
  readonly at: string;
}

/** Author and time of a correction. Nothing for versions that a run made. */
export function CorrectedBy({ source, author, at }: CorrectedByProps) {
  const nameOf = useAuthorName();
  if (source === 'run' || author === null) return null;
  const name = nameOf(author);
  // An agent has the name of the person it works for, and an id says little by itself.
  const isClear = name === shell.you || (source === 'person' && name !== author);
  return (
    <span title={author}>
      {words.correctedBy(isClear ? name : `${words.by[source]} ${name}`)} <Time at={at} />
    </span>
  );
}
