import { useQuery } from '@tanstack/react-query';
import { read } from '../../../api/read.ts';
import { Loaded } from '../../../parts/states.tsx';
import { Badge } from '../../../parts/badge.tsx';
import { Time } from '../../../parts/time.tsx';
import { document as words } from '../../../text/document.ts';
import { CorrectedBy } from './corrected-by.tsx';

/** Earlier versions of the description with their authors, newest first. */
export function DescriptionVersions({ id }: { readonly id: string }) {
  const list = useQuery(read('operators', 'descriptions', { params: { id }, query: { limit: 25 } }));
  return (
    <Loaded query={list} lines={2}>
      {({ descriptions }) => (
        <ul className="grid gap-3">
          {descriptions.map(({ descriptionId, source, author, createdAt, modelLabel, description, current }) => (
            <li key={descriptionId} className="grid gap-1">
              <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
                {current && <Badge tone="accent">{words.current}</Badge>}
                {source === 'run' ? (
                  <span>
                    {modelLabel} <Time at={createdAt} />
                  </span>
                ) : (
                  <CorrectedBy {...{ source, author }} at={createdAt} />
                )}
              </p>
              <p className="line-clamp-4 whitespace-pre-wrap" dir="auto">
                {description}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
