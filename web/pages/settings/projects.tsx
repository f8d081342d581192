import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useCan } from '../../shell/session.ts';
import { settings as words } from '../../text/settings.ts';
import { shell } from '../../text/shell.ts';

type Project = Reply<'organization', 'projects'>['projects'][number];
const outdated = [['organization'], ['runs', 'context']];

function ProjectForm({ project, onClose }: { readonly project: Project | null; readonly onClose: () => void }) {
  const create = useChange('organization', 'createProject', {
    outdated,
    done: words.projectMade,
    showsError: true,
    onDone: onClose,
  });
  const rename = useChange('organization', 'renameProject', {
    outdated,
    done: words.renamed,
    showsError: true,
    onDone: onClose,
  });
  const error = create.error ?? rename.error;
  return (
    <Dialog title={project === null ? words.newProject : words.rename(project.name)} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const name = new FormData(event.currentTarget).get('name') as string;
          if (project === null) create.mutate({ body: { name } });
          else rename.mutate({ params: { projectId: project.id }, body: { name } });
        }}
      >
        <TextField
          name="name"
          required
          maxLength={200}
          label={words.name}
          defaultValue={project?.name ?? ''}
          error={error?.message}
        />
        <Button type="submit" look="primary" busy={create.isPending || rename.isPending} className="justify-self-end">
          {shell.save}
        </Button>
      </form>
    </Dialog>
  );
}

/** Projects of the organization. */
export function ProjectsSection() {
  const canManage = useCan('projects:manage');
  const list = useQuery(read('organization', 'projects', {}));
  const [edited, edit] = useState<Project | 'new' | null>(null);
  return (
    <Loaded query={list}>
      {({ projects }) => (
        <>
          {canManage && (
            <Button className="mb-3" icon={<Plus size={14} aria-hidden />} onClick={() => edit('new')}>
              {words.newProject}
            </Button>
          )}
          <Table heads={[words.name, words.created, '']}>
            {projects.map((project) => (
              <tr key={project.id}>
                <td dir="auto">{project.name}</td>
                <td className="text-muted">
                  <Time at={project.createdAt} />
                </td>
                <td className="number">
                  {canManage && (
                    <IconButton size="small" label={words.rename(project.name)} onClick={() => edit(project)}>
                      <Pencil size={14} aria-hidden />
                    </IconButton>
                  )}
                </td>
              </tr>
            ))}
          </Table>
          {edited !== null && <ProjectForm project={edited === 'new' ? null : edited} onClose={() => edit(null)} />}
        </>
      )}
    </Loaded>
  );
}
