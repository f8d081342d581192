import { useQuery } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { read } from '../../../api/read.ts';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { document as words } from '../../../text/document.ts';
import { RecordView } from './record-view.tsx';
import type { Reading } from '../reading.ts';

/** Records of the document: fields with their proof. */
export function FieldsTab({ reading, action }: { readonly reading: Reading; readonly action: ReactNode }) {
  const { document, marks } = reading;
  const found = useQuery(read('records', 'query', { query: { documentId: document.id } }));
  useEffect(() => () => marks.set([]), [marks]);
  return (
    <Loaded query={found}>
      {({ records }) =>
        records.length === 0 ? (
          <Empty title={words.noFieldsTitle} actions={action}>
            {words.noFields}
          </Empty>
        ) : (
          <div className="grid gap-8">
            {records.map((record) => (
              <RecordView key={record.recordId} {...{ record, reading }} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}
