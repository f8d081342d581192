import { generatedNote, table } from '#scripts/gen/markdown.ts';
import { broken } from '#test/graphs/check/defects.ts';
import { allDefects } from '#test/graphs/check/lacks.ts';
import { langGraphRefuses } from '#test/graphs/check/langgraph.ts';

/** The seeded defects of the tests, each with its code, its fix and what LangGraph's own `compile()` says. */
export function checkerDoc(): string {
  const rows = allDefects.map((defect) => {
    const { name, issue, fixed } = defect;
    const [code = '', path = ''] = issue.split(' ');
    const refused = langGraphRefuses(broken(defect), code);
    return { cells: [name, `\`${code}\``, `\`${path}\``, fixed ? 'yes' : ''], refused };
  });
  const expressible = rows.filter(({ refused }) => refused !== null);
  const refused = rows.filter((one) => one.refused === true);
  const said = (answer: boolean | null): string =>
    answer === null ? 'cannot be written' : answer ? 'refused' : 'compiles';
  return `${generatedNote}
# What the checker finds

Every graph is checked when it is validated, saved, published and run; all problems are told at once, each with a JSON Pointer, the way
out and, where a machine can tell how, operations that mend it. These ${rows.length} defects are built into good graphs by the tests
(\`test/graphs/check/\`): each is found, each fix is applied and checked again, and nothing is found in the good graphs.

LangGraph's own \`compile()\` refuses ${refused.length} of the ${expressible.length} that can be written for it by hand; the others are
about things it does not know, such as node types, configs, expressions and secrets.

${table(
  ['Defect', 'Code', 'At', 'Fix', 'LangGraph'],
  rows.map((one) => [...one.cells, said(one.refused)]),
)}
`;
}
