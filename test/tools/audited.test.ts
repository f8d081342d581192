import { expect, test } from 'vitest';
import { isAudited } from '#tools/audit/announced.ts';
import { tools } from '#tools/index.ts';

/** Tools that change something and are not audited: what people and programs work on all day. */
const unaudited = [
  'acknowledge_upload',
  'answer_chat',
  'change_preferences',
  'change_view',
  'create_view',
  'create_workflow',
  'delete_conversation',
  'delete_view',
  'presign_upload',
  'queue_workflow',
  'queue_workflow_on_many',
  'redeliver_webhook',
  'replay_execution',
  'restore_workflow_version',
  'run_workflow',
  'test_node',
  'test_webhook',
  'update_workflow',
  'upload_document',
];

test('every tool that changes something is announced to the audit log, except those of daily work', () => {
  const changing = Object.values(tools).filter(({ effect }) => effect !== 'read');
  const silent = changing.filter((tool) => !isAudited(tool)).map(({ name }) => name);
  expect(silent.toSorted()).toEqual(unaudited);
  expect(changing.length).toBeGreaterThan(unaudited.length + 15);
  expect(Object.values(tools).filter((tool) => tool.effect === 'read' && isAudited(tool))).toEqual([]);
});
