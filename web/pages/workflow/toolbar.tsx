import { Plus, Redo2, Send, Undo2 } from 'lucide-react';
import { useMemo } from 'react';
import type { Reply } from '../../api/families.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { useCan } from '../../shell/session.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { workflows as words } from '../../text/workflows.ts';
import type { Editor } from './edit/editor.ts';

type Workflow = Reply<'workflows', 'get'>;

/** State of the workflow in words: what runs, and what is being drawn. */
export function StateLine({ workflow, editor }: { readonly workflow: Workflow; readonly editor: Editor | null }) {
  const { publishedVersion, revision, version, issues, source } = workflow;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {source === 'code' && <Badge>{words.states.code}</Badge>}
      {source !== 'code' && publishedVersion === null && <Badge tone="warn">{words.states.never}</Badge>}
      {publishedVersion !== null && (
        <Badge tone="ok">
          {words.states.published}: {words.versionNumber(publishedVersion)}
        </Badge>
      )}
      {version === null && revision !== null && <span>{words.draftRevision(revision)}</span>}
      {errors > 0 && <Badge tone="bad">{words.problemsCount(errors)}</Badge>}
      {editor !== null && <span className="text-xs">{editor.isSaving ? words.saving : words.saved}</span>}
    </span>
  );
}

interface ToolbarProps {
  readonly editor: Editor;
  readonly onAdd: () => void;
  readonly onPublish: () => void;
}

/** Adding, undo and redo, and publishing. */
export function Toolbar({ editor, onAdd, onPublish }: ToolbarProps) {
  const canPublish = useCan('workflows:publish');
  const { undo, redo } = editor;
  useShortcuts(
    useMemo(
      () => [
        { keys: 'mod+z', words: words.undo, run: undo, isForPage: true },
        { keys: 'mod+shift+z', words: words.redo, run: redo, isForPage: true },
        { keys: 'n', words: words.add, run: onAdd },
      ],
      [undo, redo, onAdd],
    ),
  );
  return (
    <>
      <IconButton label={words.undo} disabled={!editor.canUndo || editor.isSaving} onClick={undo}>
        <Undo2 size={16} aria-hidden />
      </IconButton>
      <IconButton label={words.redo} disabled={!editor.canRedo || editor.isSaving} onClick={redo}>
        <Redo2 size={16} aria-hidden />
      </IconButton>
      <Button icon={<Plus size={15} aria-hidden />} onClick={onAdd}>
        {words.add}
      </Button>
      {canPublish && (
        <Button look="primary" icon={<Send size={14} aria-hidden />} onClick={onPublish}>
          {words.publish}
        </Button>
      )}
    </>
  );
}
