/** Knowledge of an attacker: the addresses, and keys of an organization of its own. */
export interface Target {
  readonly api: string;
  readonly mcp: string;
  readonly objects: string;
  /** Service key with all scopes. */
  readonly key: string;
  readonly workflowKey: string;
  /** A document of the attacker. */
  readonly documentId: string;
  /** Workflow that computes in a loop. */
  readonly loopingWorkflowId: string;
}
