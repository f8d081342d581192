import {
  AlignLeft,
  Bot,
  Box,
  FileImage,
  FileText,
  Globe,
  MessageCircleQuestion,
  Network,
  Radio,
  ScanText,
  Search,
  Shapes,
  SlidersHorizontal,
  Sparkles,
  TableProperties,
  Tags,
  Variable,
  type LucideIcon,
} from 'lucide-react';

const icons: Readonly<Record<string, LucideIcon>> = {
  load_image: FileImage,
  ocr: ScanText,
  describe: AlignLeft,
  embed_image: Box,
  embed_text: FileText,
  index: Search,
  preprocess: SlidersHorizontal,
  segment: Shapes,
  transform: Variable,
  http: Globe,
  emit: Radio,
  review: MessageCircleQuestion,
  llm: Sparkles,
  agent: Bot,
  classify: Tags,
  extract: TableProperties,
  workflow: Network,
};

/** Icon of a node type; types that come later have a plain box. */
export const iconOf = (type: string): LucideIcon => icons[type] ?? Box;
