import type { Operation } from '#src/contracts/resources/operation.ts';
import { workflows } from '../../../text/workflows.ts';
import type { Change } from '../../../graph-view/compare.ts';

const words = workflows.operations;

const short = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

const membersOf = (members: Readonly<Record<string, unknown>>): string =>
  Object.entries(members)
    .map(([name, value]) => (value === null ? words.without(name) : words.becomes(name, short(value))))
    .join(', ');

const targetOf = (edge: Extract<Operation, { op: 'add_edge' }>['edge']): string => {
  if ('map' in edge) return edge.map.to;
  if ('when' in edge) return edge.when.map(({ to }) => to).join(', ');
  return edge.to;
};

/** One operation in words. */
export function sentenceOf(operation: Operation): string {
  switch (operation.op) {
    case 'add_node':
      return words.add_node(operation.nodeId, operation.node.type);
    case 'remove_node':
      return words.remove_node(operation.nodeId);
    case 'rename_node':
      return words.rename_node(operation.nodeId, operation.to);
    case 'set_config':
      return words.set_config(operation.nodeId, membersOf(operation.config));
    case 'set_field':
      return operation.value === undefined
        ? words.unset_field(operation.path)
        : words.set_field(operation.path, short(operation.value));
    case 'patch_text':
      return words.patch_text(operation.path);
    case 'add_edge':
      return words.add_edge(operation.edge.from, targetOf(operation.edge));
    case 'remove_edge':
      return words.remove_edge(operation.from, operation.to);
    case 'insert_between':
      return words.insert_between(operation.nodeId, operation.from, operation.to);
    case 'set_router':
      return words.set_router(operation.nodeId);
    case 'set_state_field':
      return words.set_state_field(operation.name);
    case 'remove_state_field':
      return words.remove_state_field(operation.name);
    case 'set_entry':
      return words.set_entry(operation.nodeId);
    case 'set_tool':
      return operation.tool ? words.set_tool(operation.tool.name) : words.unset_tool;
    case 'set_limits':
      return words.set_limits(membersOf(operation.limits));
    case 'set_metadata':
      return words.set_metadata(
        Object.keys(operation)
          .filter((name) => name !== 'op')
          .join(', '),
      );
  }
}

/** Kind of change of an operation, for its letter and colour. */
export function changeOf({ op, ...rest }: Operation): Change {
  if (op.startsWith('add') || op === 'insert_between') return 'added';
  if (op.startsWith('remove')) return 'removed';
  return op === 'set_field' && !('value' in rest) ? 'removed' : 'changed';
}
