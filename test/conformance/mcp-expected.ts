/** Number of checks of each scenario that pass: a scenario or a check that disappears fails the test like one that does not pass. */
type Expected = Readonly<Record<string, number>>;

const inBoth: Expected = {
  'completion-complete': 2,
  'dns-rebinding-protection': 2,
  'json-schema-2020-12': 8,
  'prompts-get-embedded-resource': 2,
  'prompts-get-simple': 2,
  'prompts-get-with-args': 2,
  'prompts-get-with-image': 2,
  'prompts-list': 2,
  'resources-list': 2,
  'resources-read-binary': 2,
  'resources-read-text': 2,
  'resources-templates-read': 2,
  'tools-call-audio': 2,
  'tools-call-embedded-resource': 2,
  'tools-call-error': 2,
  'tools-call-image': 2,
  'tools-call-mixed-content': 2,
  'tools-call-simple-text': 2,
  'tools-call-with-progress': 2,
};

export const required20260728: Expected = {
  ...inBoth,
  caching: 8,
  'http-custom-header-server-validation': 10,
  'http-header-validation': 14,
  'input-required-result-basic-elicitation': 3,
  'input-required-result-basic-list-roots': 3,
  'input-required-result-basic-sampling': 3,
  'input-required-result-capability-check': 2,
  'input-required-result-ignore-extra-params': 2,
  'input-required-result-missing-input-response': 2,
  'input-required-result-multi-round': 4,
  'input-required-result-multiple-input-requests': 3,
  'input-required-result-non-tool-request': 3,
  'input-required-result-request-state': 3,
  'input-required-result-result-type': 2,
  'input-required-result-tampered-state': 2,
  'input-required-result-unsupported-methods': 2,
  'input-required-result-validate-input': 3,
  'sep-2164-resource-not-found': 4,
  'server-sse-multiple-streams': 1,
  'server-stateless': 30,
  'tools-list': 4,
};

export const tasks: Expected = {
  'tasks-capability-negotiation': 5,
  'tasks-dispatch-and-envelope': 9,
  'tasks-lifecycle': 9,
  'tasks-mrtr-composition': 2,
  'tasks-mrtr-input': 4,
  'tasks-request-headers': 5,
  'tasks-request-state-removal': 3,
  'tasks-required-task-error': 3,
  // The suite skips it whatever the server does.
  'tasks-status-notifications': 0,
  'tasks-wire-fields': 4,
};

export const required20251125: Expected = {
  ...inBoth,
  'elicitation-sep1034-defaults': 6,
  'elicitation-sep1330-enums': 6,
  'logging-set-level': 2,
  ping: 2,
  'resources-subscribe': 2,
  'resources-unsubscribe': 2,
  'server-initialize': 3,
  'server-session-lifecycle': 3,
  'server-sse-multiple-streams': 2,
  'server-sse-polling': 3,
  'tools-call-elicitation': 2,
  'tools-call-sampling': 2,
  'tools-call-with-logging': 2,
  'tools-list': 3,
};

export const skills = {
  'sep-2640-skills-directory': 7,
  'sep-2640-skills-enumeration': 32,
  'sep-2640-skills-manifest': 6,
} as const satisfies Expected;

export function sum(expected: Expected): number {
  return Object.values(expected).reduce((total, count) => total + count, 0);
}
