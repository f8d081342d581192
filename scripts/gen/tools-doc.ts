import { z } from 'zod';
import { allTools } from '#tools/index.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

interface Property {
  readonly type?: string;
  readonly description?: string;
}

export function toolsDoc(): string {
  const sections = allTools.map((tool) => {
    const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as {
      properties?: Record<string, Property>;
      required?: string[];
    };
    const rows = Object.entries(schema.properties ?? {}).map(([name, { type, description }]) => [
      `\`${name}\``,
      type ?? '',
      schema.required?.includes(name) === true ? 'yes' : '',
      description ?? '',
    ]);
    return `## \`${tool.name}\`

${tool.description}

Scope: ${tool.scope === null ? 'any credential' : `\`${tool.scope}\``}. Effect: ${tool.effect}.

${rows.length === 0 ? 'No input.' : table(['Input', 'Type', 'Required', 'Meaning'], rows)}
`;
  });
  return `${generatedNote}
# Tools

Use cases of Inkgraph. MCP and REST are two faces of them.

${sections.join('\n')}`;
}
