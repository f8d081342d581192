import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import { useAuthorName } from '../../../shell/session.ts';
import type { Editor } from './editor.ts';
import { OperationList } from './operation-list.tsx';

/** Shows what others changed while a person edited, and what that person wanted. Neither is ever overwritten silently. */
export function ConflictDialog({ editor }: { readonly editor: Editor }) {
  const { conflict } = editor;
  const nameOf = useAuthorName();
  if (conflict === null) return null;
  return (
    <Dialog
      title={words.conflictTitle}
      wide
      onClose={editor.drop}
      footer={
        <>
          <Button onClick={editor.drop}>{words.conflictDrop}</Button>
          <Button look="primary" onClick={editor.putOnTop}>
            {words.conflictTop}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <p>{words.conflictLead}</p>
        {conflict.since.map(({ revision, author, operations }) => (
          <section key={revision} className="grid gap-1.5">
            <h3 dir="auto">{words.revisionBy(revision, nameOf(author))}</h3>
            <OperationList operations={operations} />
          </section>
        ))}
        {!conflict.isComplete && <p className="text-warn">{words.conflictMore}</p>}
        <section className="grid gap-1.5 border-t border-line pt-3">
          <h3>{words.conflictMine}</h3>
          <OperationList operations={conflict.operations} />
        </section>
      </div>
    </Dialog>
  );
}
