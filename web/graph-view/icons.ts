import { createElement } from 'react';
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

interface TypeIconProps {
  readonly type: string;
  readonly size: number;
  readonly className?: string;
}

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
export const TypeIcon = ({ type, size, className = '' }: TypeIconProps) =>
  createElement(icons[type] ?? Box, { size, 'aria-hidden': true, className: `shrink-0 text-accent ${className}` });
