import { defects, type Defect } from '#test/graphs/check/defects.ts';

/** A workflow as an MCP tool. */
const toolTaking = (input: object): object => ({
  name: 'sum_up',
  description: 'Sums up.',
  input: { type: 'object', ...input },
});

/** Graphs that are right, and lack something here: a model, a host, a language, a secret, an output. */
const lacks: readonly Defect[] = [
  {
    name: 'A misspelt secret',
    good: 'rich',
    issue: 'SECRET_UNKNOWN /nodes/prompt/config/key/$secret',
    fixed: true,
    breaks: (g) => (g.nodes.prompt.config.key.$secret = 'API_KEYS'),
  },
  {
    name: 'A secret that is not there',
    good: 'rich',
    issue: 'SECRET_MISSING /nodes/prompt/config/key/$secret',
    fixed: false,
    breaks: (g) => (g.nodes.prompt.config.key.$secret = 'WONDERFUL'),
  },
  {
    name: 'A nested workflow whose secret is not there',
    good: 'rich',
    issue: 'SECRET_MISSING /nodes/inner/config/workflowId',
    fixed: false,
    breaks: (g) => (g.nodes.inner.config.workflowId = 'wf_needy'),
  },
  {
    name: 'A node that needs a model where none is configured',
    good: 'line',
    issue: 'MODEL_UNAVAILABLE /nodes/three',
    fixed: false,
    breaks: (g) => (g.nodes.three = { type: 'llm', config: { prompt: 'Sum up', source: 'none', output: 'total' } }),
  },
  {
    name: 'An engine that is not configured',
    good: 'line',
    issue: 'MODEL_UNAVAILABLE /nodes/three/config/engine',
    fixed: true,
    breaks: (g) => (g.nodes.three = { type: 'segment', config: { prompt: 'signature', engine: 'remote' } }),
  },
  {
    name: 'A host that the operator did not list',
    good: 'line',
    issue: 'HOST_NOT_LISTED /nodes/three/config/url',
    fixed: false,
    breaks: (g) => (g.nodes.three = { type: 'http', config: { url: 'https://c.d/x', output: 'total' } }),
  },
  {
    name: 'A language without data',
    good: 'intake',
    issue: 'LANGUAGE_MISSING /nodes/recognize/config/language',
    fixed: false,
    breaks: (g) => (g.nodes.recognize.config = { language: 'eng+deu' }),
  },
  {
    name: 'A result that no output has',
    good: 'branches',
    issue: 'OUTPUT_UNUSED /state/answer',
    fixed: true,
    breaks: (g) => (g.outputs = {}),
  },
  {
    name: 'A tool that takes a field without a channel',
    good: 'line',
    issue: 'CHANNEL_UNKNOWN /tool/input/properties/vendor',
    fixed: true,
    breaks: (g) => (g.tool = toolTaking({ properties: { vendor: { type: 'string' } } })),
  },
  {
    name: 'A tool that takes the document twice',
    good: 'line',
    issue: 'TOOL_INVALID /tool/input/properties/documentId',
    fixed: true,
    breaks: (g) => (g.tool = toolTaking({ properties: { documentId: { type: 'string' } } })),
  },
  {
    name: 'A tool that requires a field without describing it',
    good: 'line',
    issue: 'TOOL_INVALID /tool/input/required/0',
    fixed: true,
    breaks: (g) => (g.tool = toolTaking({ properties: {}, required: ['vendor'] })),
  },
  {
    name: 'A tool whose fields are not its properties alone',
    good: 'line',
    issue: 'TOOL_INVALID /tool/input/anyOf',
    fixed: true,
    breaks: (g) => (g.tool = toolTaking({ anyOf: [{}] })),
  },
  {
    name: 'A tool whose input is no schema',
    good: 'line',
    issue: 'TOOL_INVALID /tool/input',
    fixed: false,
    breaks: (g) => (g.tool = toolTaking({ pattern: 'x' })),
  },
];

/** All defects that the checker is tested with. */
export const allDefects: readonly Defect[] = [...defects, ...lacks];
