import { known, oneOf, text, type Raw } from '../../state/search.ts';

export const runTabs = ['all', 'queued', 'running', 'waiting', 'failed', 'succeeded'] as const;

export const runsSearch = (raw: Raw) =>
  known({ status: oneOf(raw, 'status', runTabs), workflow: text(raw, 'workflow'), execution: text(raw, 'execution') });

/** `step`: the chosen step. `view`: how steps are shown. */
export const runSearch = (raw: Raw) =>
  known({ step: text(raw, 'step'), view: oneOf(raw, 'view', ['timeline', 'table']) });
