import type { ReactFlowInstance } from '@xyflow/react';
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { IconButton } from '../parts/button.tsx';
import { workflows as words } from '../text/workflows.ts';

interface ZoomButtonsProps {
  readonly flow: Pick<ReactFlowInstance, 'zoomIn' | 'zoomOut'> | undefined;
  readonly onFit: () => void;
}

/** Buttons for what the wheel and the pinch do. */
export function ZoomButtons({ flow, onFit }: ZoomButtonsProps) {
  return (
    <div className="absolute start-3 bottom-3 z-5 grid rounded-md border border-line bg-raised">
      <IconButton size="small" label={words.zoomIn} onClick={() => void flow?.zoomIn()}>
        <ZoomIn size={15} aria-hidden />
      </IconButton>
      <IconButton size="small" label={words.zoomOut} onClick={() => void flow?.zoomOut()}>
        <ZoomOut size={15} aria-hidden />
      </IconButton>
      <IconButton size="small" label={words.wholePicture} onClick={onFit}>
        <Maximize size={15} aria-hidden />
      </IconButton>
    </div>
  );
}
