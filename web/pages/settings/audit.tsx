import { useInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { address } from '../../api/client.ts';
import { pages } from '../../api/read.ts';
import { Badge } from '../../parts/badge.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { inputClass } from '../../parts/input-class.ts';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { LoadMore, Table } from '../../parts/table.tsx';
import { useAuthorName } from '../../shell/session.ts';
import { useDebounced } from '../../state/debounced.ts';
import { moment } from '../../text/format.ts';
import { settings as words } from '../../text/settings.ts';

const wellFormed = /^[a-z]+(\.[a-z_]+)?$/;

/** Audited actions with their actors, newest first. */
export function AuditSection() {
  const nameOf = useAuthorName();
  const [typed, type] = useState('');
  const settled = useDebounced(typed.trim(), 300);
  const action = wellFormed.test(settled) ? settled : undefined;
  const list = useInfiniteQuery(pages('organization', 'audit', { query: { action, limit: 50 } }));
  const records = list.data?.pages.flatMap((page) => page.records) ?? [];
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <input
          aria-label={words.auditFilter}
          placeholder={words.auditFilter}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          className={`${inputClass} max-w-80`}
        />
        <a href={address('organization', 'auditExport', { query: { action } })} download className={buttonClass()}>
          <Download size={14} aria-hidden />
          {words.auditExport}
        </a>
      </div>
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={8} />}
      {list.isSuccess && (
        <Table heads={[words.auditWhen, words.auditWhat, words.auditTarget, words.auditWho]}>
          {records.map((record) => (
            <tr key={record.id}>
              <td className="min-w-28 text-muted sm:whitespace-nowrap">{moment(record.at)}</td>
              <td>
                <code className="font-mono text-xs">{record.action}</code>{' '}
                {record.count > 1 && <Badge>{words.times(record.count)}</Badge>}
                {record.outcome === 'unfinished' && <Badge tone="warn">{words.unfinished}</Badge>}
              </td>
              <td className="text-xs" dir="auto" title={record.target}>
                {nameOf(record.target)}
              </td>
              <td className="text-xs text-muted" dir="auto" title={record.actor}>
                {nameOf(record.actor)} {record.ip}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <LoadMore of={list} />
    </>
  );
}
