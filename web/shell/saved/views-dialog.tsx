import { useQuery } from '@tanstack/react-query';
import { navigate } from '../../router/navigate.ts';
import { parseQuery } from '../../router/query.ts';
import { Trash2 } from 'lucide-react';
import type { SubmitEvent } from 'react';
import type { Reply } from '../../api/families.ts';
import { fieldErrors } from '../../api/problem.ts';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { views as words } from '../../text/list/views.ts';

type View = Reply<'operators', 'views'>['views'][number];
export type ViewPage = View['page'];
const outdated = [['operators', 'views']];

function ViewRow({ view, onOpen }: { readonly view: View; readonly onOpen: (query: string) => void }) {
  const remove = useChange('operators', 'deleteView', { outdated, done: words.removed });
  return (
    <li className="flex items-center gap-2">
      <button
        type="button"
        className="flex min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1.5 text-start hover:bg-hover"
        onClick={() => onOpen(view.query)}
      >
        <span className="truncate" dir="auto">
          {view.name}
        </span>
        {view.sharing !== 'private' && <Badge>{words.shared}</Badge>}
      </button>
      {view.mine && (
        <IconButton
          label={words.remove(view.name)}
          disabled={remove.isPending}
          onClick={() => remove.mutate({ params: { viewId: view.viewId } })}
        >
          <Trash2 size={15} aria-hidden />
        </IconButton>
      )}
    </li>
  );
}

function SaveForm({ page, query }: { readonly page: ViewPage; readonly query: string }) {
  const create = useChange('operators', 'createView', { outdated, done: words.saved, showsError: true });
  const errors = fieldErrors(create.error);
  if (query === '') return <p className="text-muted">{words.nothing}</p>;
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const name = data.get('name');
    if (typeof name !== 'string') return;
    const sharing = data.get('sharing') === 'organization' ? 'organization' : 'private';
    create.mutate({ body: { name, page, query, sharing } }, { onSuccess: () => form.reset() });
  };
  return (
    <form className="grid gap-3" onSubmit={save}>
      <TextField
        name="name"
        label={words.name}
        required
        error={errors['name'] ?? errors['query'] ?? create.error?.message}
      />
      <SelectField name="sharing" label={words.sharing}>
        {(['private', 'organization'] as const).map((one) => (
          <option key={one} value={one}>
            {words.sharings[one]}
          </option>
        ))}
      </SelectField>
      <Button type="submit" look="primary" className="justify-self-end" busy={create.isPending}>
        {words.save}
      </Button>
    </form>
  );
}

interface ViewsDialogProps {
  readonly page: ViewPage;
  /** Query of the present address, without `?`. */
  readonly query: string;
  readonly onClose: () => void;
}

/** Views of a page: opens one, deletes own ones, saves the present address. */
export function ViewsDialog({ page, query, onClose }: ViewsDialogProps) {
  const list = useQuery(read('operators', 'views', { query: { page } }));
  const open = (saved: string): void => {
    onClose();
    // A view of all projects leaves the chosen one.
    navigate({ to: '.', search: { project: undefined, ...parseQuery(saved) } });
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <div className="grid gap-4">
        <Loaded query={list} lines={2}>
          {({ views }) =>
            views.length === 0 ? (
              <p className="text-muted">{words.none}</p>
            ) : (
              <ul aria-label={words.list} className="grid max-h-64 gap-0.5 overflow-y-auto">
                {views.map((view) => (
                  <ViewRow key={view.viewId} {...{ view, onOpen: open }} />
                ))}
              </ul>
            )
          }
        </Loaded>
        <section className="grid gap-3 border-t border-line pt-4">
          <h3>{words.save}</h3>
          <SaveForm {...{ page, query }} />
        </section>
      </div>
    </Dialog>
  );
}
