import { Button, FileButton, Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../lib/words/words.ts';
import { FailureNote, Icon } from '../page/blocks.tsx';
import { readCode, readCodeOfFile } from './read-qr.ts';
import classes from './scan.module.css';

interface Props {
  /** What a code says. Answers what is wrong with it. */
  readonly onCode: (text: string) => MaybePromise;
}

type MaybePromise = string | undefined | Promise<string | undefined>;

/** Reads the label of a beacon with the camera, or from a picture where the page gets none. */
export function Scan({ onCode }: Props) {
  const [isOn, setOn] = useState(false);
  const [problem, setProblem] = useState<string>();
  const take = async (text: string | undefined) => {
    if (text === undefined) return setProblem(t('There is no QR code in this picture. Go nearer, and hold still.'));
    setOn(false);
    setProblem(await onCode(text));
  };
  return (
    <section aria-label={t('Scan a label')}>
      <Group gap="xs">
        <Button variant="filled" leftSection={<Icon name="picture" size={16} />} onClick={() => setOn(!isOn)}>
          {isOn ? t('Stop the camera') : t('Scan a label')}
        </Button>
        <FileButton
          accept="image/*"
          onChange={(file) => file && void readCodeOfFile(file).then(take, ({ message }: Error) => setProblem(message))}
        >
          {(props) => <Button {...props}>{t('Label from a picture')}</Button>}
        </FileButton>
      </Group>
      {isOn && (
        <Camera
          onCode={(text) => void take(text)}
          onFailure={() => {
            setOn(false);
            setProblem(
              t(
                'The page gets no camera. Allow it in the browser, take a picture of the label, or choose the beacon from the list.',
              ),
            );
          }}
        />
      )}
      <FailureNote message={problem} />
    </section>
  );
}

interface CameraProps {
  readonly onCode: (text: string) => void;
  readonly onFailure: () => void;
}

const betweenMs = 150;

function Camera({ onCode, onFailure }: CameraProps) {
  const video = useRef<HTMLVideoElement>(null);
  const heard = useRef({ onCode, onFailure });
  heard.current = { onCode, onFailure };
  useEffect(() => {
    let stream: MediaStream | undefined;
    let isLeft = false;
    const look = async () => {
      const shown = video.current;
      if (isLeft || !shown) return;
      const text = await readCode(shown, shown.videoWidth, shown.videoHeight);
      if (isLeft) return;
      if (text === undefined) setTimeout(() => void look(), betweenMs);
      else heard.current.onCode(text);
    };
    const start = async () => {
      try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
        if (isLeft || !video.current) return stop();
        video.current.srcObject = stream;
        await video.current.play();
        await look();
      } catch {
        if (!isLeft) heard.current.onFailure();
      }
    };
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    void start();
    return () => {
      isLeft = true;
      stop();
    };
  }, []);
  return (
    <>
      <video ref={video} className={classes.camera} muted playsInline aria-label={t('What the camera sees')} />
      <Text c="dimmed">{t('Hold the label of the beacon before the camera.')}</Text>
    </>
  );
}
