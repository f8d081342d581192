import { Fault } from '#src/domain/fault.ts';

/** Unknown, of another project, or never published: the same answer. */
export function workflowMissing(): Fault {
  return new Fault('workflow.not_found', 'No published workflow with this id is available to this credential.', {
    errors: [{ pointer: '/workflowId', code: 'not_found', message: 'take an id from the list of workflows' }],
  });
}
