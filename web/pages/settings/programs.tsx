import { useQuery } from '@tanstack/react-query';
import { Unplug } from 'lucide-react';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Badge } from '../../parts/badge.tsx';
import { buttonClass, IconButton } from '../../parts/button.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { settings as words } from '../../text/settings.ts';

/** Programs that act for people of the organization over MCP. */
export function ProgramsSection() {
  const list = useQuery(read('organization', 'apps', {}));
  const end = useChange('organization', 'revokeApp', {
    outdated: [['organization', 'apps']],
    done: words.disconnected,
  });
  return (
    <Loaded query={list}>
      {({ apps }) =>
        apps.length === 0 ? (
          <Empty title={words.noProgramsTitle}>{words.noPrograms}</Empty>
        ) : (
          <Table heads={[words.program, words.actsFor, words.scopes, words.used, '']}>
            {apps.map((app) => (
              <tr key={app.id}>
                <td dir="auto">
                  {app.name}
                  <span className="block text-xs text-muted">{app.redirectHost}</span>
                </td>
                <td dir="auto">{app.user.name}</td>
                <td>
                  <span className="flex flex-wrap gap-1">
                    {app.scopes.map((scope) => (
                      <Badge key={scope}>{scope}</Badge>
                    ))}
                  </span>
                </td>
                <td className="text-muted">{app.lastUsedAt === null ? words.never : <Time at={app.lastUsedAt} />}</td>
                <td className="number">
                  <span className="inline-flex items-center gap-1">
                    {app.isYours && (
                      <a href="/apps" className={buttonClass('usual', 'small')}>
                        {words.changeAccess}
                      </a>
                    )}
                    <IconButton
                      size="small"
                      label={words.disconnect(app.name)}
                      onClick={() => end.mutate({ params: { appId: app.id } })}
                    >
                      <Unplug size={14} aria-hidden />
                    </IconButton>
                  </span>
                </td>
              </tr>
            ))}
          </Table>
        )
      }
    </Loaded>
  );
}
