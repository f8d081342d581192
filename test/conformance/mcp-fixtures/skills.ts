import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { McpPart } from '#mcp/catalog.ts';

function manifest(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\nRead references/GUIDE.md first.\n`;
}

/** Two skills on two pages, one with a folder within. */
export async function fixtureSkills(): Promise<McpPart> {
  const files = memorySkillFiles({
    'reading/SKILL.md': manifest('reading', 'How to read a scan.'),
    'reading/references/GUIDE.md': '# Guide\n\nFrom the top left.\n',
    'sorting/SKILL.md': manifest('sorting', 'How to sort scans.'),
  });
  const skills = await SkillsExtension.load(files, { strict: true, pageSize: 1 });
  return (mcp) => skills.attach(mcp);
}
