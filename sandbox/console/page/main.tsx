import { render } from 'preact';
import { App } from './app.tsx';
import { connect } from './state/connect.ts';
import { followHistory } from './state/navigate.ts';
import './style/base.css';
import './style/layout.css';
import './style/users.css';
import './style/phone.css';
import './style/conversation.css';
import './style/activity.css';
import './style/timeline.css';
import './style/json-view.css';
import './style/controls.css';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no #console element.');
followHistory();
render(<App />, root);
void connect();
