import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { bytes, count } from '../../text/format.ts';
import { settings as words } from '../../text/settings.ts';

interface Amount {
  readonly used: number;
  readonly limit: number | null;
}

/** A figure beside its limit, with a bar where there is one. */
function Figure({
  name,
  amount,
  text,
}: {
  readonly name: string;
  readonly amount: Amount;
  readonly text: (value: number) => string;
}) {
  const { used, limit } = amount;
  if (limit === null) return `${text(used)} (${words.noLimit})`;
  return (
    <span className="grid gap-1">
      {words.of(text(used), text(limit))}
      <meter aria-label={name} min={0} max={limit} high={limit * 0.9} value={used} className="h-2 w-40" />
    </span>
  );
}

/** Storage of the organization and its projects, and their quotas. */
export function UsageSection() {
  const usage = useQuery(read('organization', 'usage', {}));
  return (
    <Loaded query={usage}>
      {({ organization, projects }) => (
        <Table heads={[words.project, words.usedBytes, words.usedObjects]}>
          {[{ id: 'all', name: words.organization, ...organization }, ...projects].map((one) => (
            <tr key={one.id}>
              <td dir="auto">{one.name}</td>
              <td>
                <Figure name={words.usedBytes} amount={one.bytes} text={bytes} />
              </td>
              <td>
                <Figure name={words.usedObjects} amount={one.objects} text={count} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Loaded>
  );
}
