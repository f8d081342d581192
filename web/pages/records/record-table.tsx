import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import { fieldName } from '../../text/field-name.ts';
import { share } from '../../text/format.ts';
import { records as words } from '../../text/records.ts';
import { titleOf } from '../documents/card.ts';
import { CellEditor, EditPencil } from './cell-editor.tsx';
import { isNumeric, tones, valueText, type RecordRow, type RecordType } from './cell-value.ts';

interface RecordTableProps {
  readonly fields: readonly string[];
  readonly records: readonly RecordRow[];
  readonly type: RecordType | undefined;
  readonly sort: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
  readonly canEdit: boolean;
}

interface ValueCellProps {
  readonly record: RecordRow;
  readonly path: string;
  readonly isNumber: boolean;
  readonly onEdit: (() => void) | null;
}

/** One cell: its value leads to the words on the page that it came from. */
function ValueCell({ record, path, isNumber, onEdit }: ValueCellProps) {
  const cell = record.cells[path];
  const text = valueText(cell?.value);
  const isDoubtful = record.problems.some(({ field }) => field === path);
  const shown = {
    dir: 'auto',
    className: 'max-w-64 truncate decoration-dotted underline-offset-4 [a]:hover:underline touch:-my-3 touch:py-3',
    title:
      cell &&
      `${text}\n${words.confidence(share(cell.confidence))}, ${words.saidBy[cell.by]}. ${cell.verified ? words.verified : words.unverified}`,
  };
  return (
    <td
      className={`group ${isNumber ? 'number' : ''} ${isDoubtful ? 'bg-warn-soft' : ''} ${text.length < 12 ? 'whitespace-nowrap' : ''}`}
    >
      <span className={`relative inline-flex items-center touch:flex ${isNumber ? 'justify-end' : 'justify-between'}`}>
        {cell === undefined || cell.page === null || text === '' ? (
          <span {...shown}>{text || <span className="text-muted">–</span>}</span>
        ) : (
          <Link
            to="/documents/$id"
            params={{ id: record.documentId }}
            search={{ page: cell.page, box: cell.box?.join(','), tab: 'fields' }}
            aria-label={words.openCell(path, text)}
            {...shown}
          >
            {text}
          </Link>
        )}
        {onEdit !== null && <EditPencil path={path} onClick={onEdit} className={isNumber ? '-start-6' : '-end-5'} />}
      </span>
    </td>
  );
}

/** The line beside the first column, which stays: most of these tables scroll on every screen. */
const first = 'shadow-[inset_-1px_0_var(--line)]';

function DocumentCell({ documentId, document }: RecordRow) {
  const name = titleOf(document ?? { title: null, filename: null });
  return (
    <th scope="row" className={first}>
      <Link
        to="/documents/$id"
        params={{ id: documentId }}
        search={{ tab: 'fields' }}
        dir="auto"
        title={name}
        className="line-clamp-2 w-max max-w-28 whitespace-normal text-fg hover:underline sm:line-clamp-1 sm:max-w-48"
      >
        {name}
      </Link>
    </th>
  );
}

/** Records as rows. Column heads sort, cells lead to their pixels and can be corrected. */
export function RecordTable({ fields, records, sort, onSort, canEdit, type }: RecordTableProps) {
  const [edited, edit] = useState<{ readonly record: RecordRow; readonly path: string } | null>(null);
  const next = (field: string) => (sort === field ? `-${field}` : sort === `-${field}` ? undefined : field);
  const direction = (field: string) => (sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined);
  // The head of a column stands where its values do.
  const numbers = new Set(fields.filter((field) => records.some(({ cells }) => isNumeric(cells[field]?.value))));
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-panel sm:scroll-ps-56">
      <table className="table named">
        <thead>
          <tr>
            <th scope="col" className={first}>
              {words.document}
            </th>
            <th scope="col">{words.status}</th>
            {fields.map((field) => (
              <th
                key={field}
                scope="col"
                dir="auto"
                aria-sort={direction(field)}
                className={numbers.has(field) ? `number ${canEdit ? 'touch:pe-11' : ''}` : ''}
              >
                <button
                  type="button"
                  onClick={() => onSort(next(field))}
                  aria-label={words.sortBy(field)}
                  title={field}
                  className="inline-flex items-center gap-1 hover:text-fg"
                >
                  {fieldName(field)}
                  {sort === field && <ArrowUp size={12} aria-hidden />}
                  {sort === `-${field}` && <ArrowDown size={12} aria-hidden />}
                </button>
              </th>
            ))}
            <th scope="col">{words.updated}</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.recordId}>
              <DocumentCell {...record} />
              <td title={record.problems.map(({ detail }) => detail).join('\n')}>
                <Badge tone={tones[record.status]}>{words.statuses[record.status]}</Badge>
              </td>
              {fields.map((path) => (
                <ValueCell
                  key={path}
                  record={record}
                  path={path}
                  isNumber={numbers.has(path)}
                  onEdit={canEdit ? () => edit({ record, path }) : null}
                />
              ))}
              <td className="text-muted">
                <Time at={record.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {edited !== null && <CellEditor {...edited} type={type} onClose={() => edit(null)} />}
    </div>
  );
}
