import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { call } from '../../../api/client.ts';
import { Problem } from '../../../api/problem.ts';
import { toastError } from '../../../parts/toast.tsx';
import { announce } from '../../../state/announce.ts';
import { workflows as words } from '../../../text/workflows.ts';

export type { Operation };
type Way = 'do' | 'undo' | 'redo';

/** An edit that met edits of others: nothing of it is saved yet. */
export interface Conflict {
  readonly operations: readonly Operation[];
  readonly way: Way;
  readonly revision: number;
  readonly since: readonly {
    readonly revision: number;
    readonly author: string;
    readonly operations: readonly Operation[];
  }[];
  /** False when there are more edits than `since` has. */
  readonly isComplete: boolean;
}

export interface Editor {
  /** Saves operations as one edit, in turn. True when it is saved. */
  readonly apply: (...operations: readonly Operation[]) => Promise<boolean>;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly isSaving: boolean;
  readonly conflict: Conflict | null;
  /** Applies the refused edit on top of those of others. */
  readonly putOnTop: () => void;
  readonly drop: () => void;
  /** Counts dropped edits: forms begin anew then, and show what is stored. */
  readonly epoch: number;
  /** Remembers the revision at which a person began to type, so that an edit of another meanwhile is a conflict, never overwritten. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Revision of the last save of this page; to tell edits of others from own ones. */
  readonly saved: () => number;
}

type Edit = readonly Operation[];

function conflictOf(error: Problem, operations: Edit, way: Way): Conflict {
  const { currentRevision = 0, operationsSince = [], complete = false } = error.body;
  return {
    operations,
    way,
    revision: currentRevision,
    since: operationsSince as Conflict['since'],
    isComplete: complete,
  };
}

/** Edits that can be taken back, and taken back ones, newest last. */
function useHistory() {
  const [past, setPast] = useState<readonly Edit[]>([]);
  const [future, setFuture] = useState<readonly Edit[]>([]);
  /** Keeps the inverse of an edit that was saved. */
  const keep = useCallback((way: Way, inverse: Edit) => {
    if (way === 'undo') {
      setPast((all) => all.slice(0, -1));
      setFuture((all) => [...all, inverse]);
      return;
    }
    setPast((all) => [...all.slice(-99), inverse]);
    setFuture((all) => (way === 'redo' ? all.slice(0, -1) : []));
  }, []);
  return { past, future, keep };
}

/**
 * Edits of a draft. Each is sent with the revision that the person saw; when others edited since, it becomes a `conflict` that the person
 * decides about. Undo sends the inverse operations that the server gave.
 */
export function useEditor(workflowId: string, revision: number | null): Editor {
  const client = useQueryClient();
  const { past, future, keep } = useHistory();
  const [waiting, setWaiting] = useState(0);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [epoch, setEpoch] = useState(0);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  /** Saves of this page, from the revision before to the one after. */
  const own = useRef(new Map<number, number>());
  const last = useRef(0);
  const held = useRef<number | null>(null);
  const shown = revision ?? 0;

  const send = useCallback(
    async (operations: Edit, way: Way, begun: number): Promise<boolean> => {
      // Own saves since the person began are no conflict.
      let base = begun;
      let isSaved = false;
      while (own.current.has(base)) base = own.current.get(base) ?? base;
      try {
        const body = { baseVersion: base, operations: [...operations] };
        const done = await call('workflows', 'edit', { params: { workflowId }, body });
        own.current.set(base, done.revision);
        last.current = done.revision;
        keep(way, done.undo as Operation[]);
        announce(words.savedAs(done.revision));
        isSaved = true;
      } catch (error) {
        if (error instanceof Problem && error.code === 'workflow.conflict')
          setConflict((open) => conflictOf(error, [...(open?.operations ?? []), ...operations], way));
        else toastError(error);
      }
      await client.invalidateQueries({ queryKey: ['workflows'] });
      return isSaved;
    },
    [client, keep, workflowId],
  );

  const queue = useCallback(
    (operations: Edit, way: Way, begun: () => number): Promise<boolean> => {
      setWaiting((count) => count + 1);
      const sent = line.current.then(() => send(operations, way, begun()));
      line.current = sent.finally(() => setWaiting((count) => count - 1));
      return sent;
    },
    [send],
  );

  return useMemo(
    () => ({
      apply: (...operations) => {
        const begun = held.current ?? shown;
        held.current = null;
        return queue(operations, 'do', () => begun);
      },
      undo: () => {
        const edit = past.at(-1);
        if (edit !== undefined) void queue(edit, 'undo', () => last.current);
      },
      redo: () => {
        const edit = future.at(-1);
        if (edit !== undefined) void queue(edit, 'redo', () => last.current);
      },
      canUndo: past.length > 0,
      canRedo: future.length > 0,
      isSaving: waiting > 0,
      conflict,
      putOnTop: () => {
        if (conflict === null) return;
        setConflict(null);
        void queue(conflict.operations, conflict.way, () => conflict.revision);
      },
      drop: () => {
        setConflict(null);
        setEpoch((count) => count + 1);
      },
      epoch,
      hold: () => {
        held.current ??= shown;
      },
      release: () => {
        held.current = null;
      },
      saved: () => last.current,
    }),
    [past, future, waiting, conflict, epoch, queue, shown],
  );
}
