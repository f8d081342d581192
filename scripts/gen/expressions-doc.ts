import { describeFunctions } from '#graphs/expression/functions.ts';
import { expressionLimits } from '#graphs/expression/limits.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

export function expressionsDoc(): string {
  const rows = describeFunctions().map(({ signature, summary }) => [`\`${signature}\``, summary]);
  const { source, comprehensionDepth, milliseconds, resultBytes, rangeItems } = expressionLimits;
  return `${generatedNote}
# Expressions

Conditions of routers (\`if\`), lists of maps (\`over\`), config values (\`{ "$expr": "..." }\`) and placeholders of templates
(\`{{ ... }}\`) are [CEL](https://cel.dev) over the channels of the graph, by their names; inside a map, the item has the name of \`as\`.

- A channel that nothing wrote is null. A missing field of an object is an error: \`default(fields.total.value, 0)\` catches it.
- Numbers of channels are fractions; whole numbers in the text are whole: \`7 / 2\` is 3, \`total / 2\` is not rounded. They mix freely.
- A condition must be true or false; null counts as false.
- A placeholder that is no expression over channels stays as it is written. What is inserted is never looked at for placeholders.

## Examples
| Expression | Is |
| --- | --- |
| \`document.pages > 1\` | whether the document has several pages |
| \`classification.label == "invoice" && classification.confidence >= 0.8\` | whether it is surely an invoice |
| \`range(document.pages)\` | the numbers of its pages, to map over |
| \`default(fields.total.value.amount, 0) > 1000\` | whether the total is large, if there is one |
| \`items.map(item, item.amount * 2)\` | a list of another |

## Functions
Beside CEL's own (\`size\`, \`has\`, \`in\`, \`contains\`, \`startsWith\`, \`endsWith\`, \`matches\`, \`map\`, \`filter\`, \`all\`, \`exists\`):

${table(['Function', 'Gives'], rows)}

## Limits
${source} characters; ${comprehensionDepth} of \`map\`, \`filter\`, \`all\`, \`exists\` inside each other; ${milliseconds} ms for one evaluation;
${resultBytes / 1_024} KiB of JSON for a result; ${rangeItems} numbers of a \`range\`.
`;
}
