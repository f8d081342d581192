import { clients } from './clients.ts';
import { crossCutting } from './cross-cutting.ts';
import { dashboard } from './dashboard.ts';
import { ingestion } from './ingestion.ts';
import { lists } from './lists.ts';
import { operators } from './operators.ts';
import { orchestration } from './orchestration.ts';
import { overview } from './overview.ts';
import { resources } from './resources.ts';
import { webhooks } from './webhooks.ts';

/** Every statement of the specification. A `proved` one has a test; a `deferred` one has none yet. */
export const requirements = [
  ...overview,
  ...resources,
  ...ingestion,
  ...orchestration,
  ...dashboard,
  ...lists,
  ...clients,
  ...webhooks,
  ...operators,
  ...crossCutting,
];

/** Ids that a test may prove; the others do not compile. */
export type ProvedId = Extract<(typeof requirements)[number], { status: 'proved' }>['id'];
