import { defects, type Defect } from '#test/graphs/check/defects.ts';

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
];

/** All defects that the checker is tested with. */
export const allDefects: readonly Defect[] = [...defects, ...lacks];
