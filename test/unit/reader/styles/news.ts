import { cards, links, p, page, type Style } from './article.ts'

export const chineseNews: Style = (w) => {
  const text = w.paragraphs(8)
  const title = w.headline()
  return {
    text: text.join('\n'),
    html: page(
      `${title}_新闻频道_某某网`,
      `<div class="top">${links(w, 20, '', ' | ')}</div><div class="path"><a href="/">首页</a> &gt; <a href="/n">新闻</a> &gt; 正文</div>
<div class="main"><div class="left"><h1>${title}</h1><div class="info">2025年03月29日 10:30 来源：<a href="/s">某某日报</a> <span>字号：大 中 小</span></div>
<div id="artibody">${text.map((one) => `　　${one}<br><br>`).join('\n')}</div>
<div class="editor">(责任编辑：王某)</div><div class="fenxiang">分享到：${links(w, 5, '', ' ')}</div>
<div class="xg"><h3>相关新闻</h3><ul>${w.times(8, () => `<li><a href="/x.shtml">${w.headline()}</a></li>`)}</ul></div></div>
<div class="right"><h3>热点排行</h3><ul>${w.times(10, () => `<li><a href="/y.shtml">${w.headline()}</a></li>`)}</ul></div></div>
<div class="copyright">关于我们 | 联系我们 | 版权声明<br>某某网版权所有 未经书面授权禁止复制或建立镜像 京ICP证000000号</div>`,
    ),
  }
}

export const chineseSections: Style = (w) => {
  const text = w.paragraphs(9)
  const title = w.headline()
  return {
    text: text.join('\n'),
    html: page(
      '',
      `<div id="js_article" class="rich_media"><div class="rich_media_inner"><h1 class="rich_media_title" id="activity-name">${title}</h1>
<div id="meta_content" class="rich_media_meta_list"><span class="rich_media_meta">原创</span><span>王某</span></div>
<div class="rich_media_content js_underline_content" id="js_content" style="visibility: hidden; opacity: 0; ">
${text.map((one) => `<section style="margin:0 8px"><section><span style="font-size:15px">${one}</span></section></section><section><br></section>`).join('')}</div>
<div class="rich_media_tool"><a href="/r">阅读原文</a> 阅读 赞 在看</div></div></div>`,
      `<meta property="og:title" content="${title}">`,
    ),
  }
}

export const koreanNews: Style = (w) => {
  const text = w.paragraphs(8)
  const title = w.headline()
  return {
    text: text.join('\n'),
    html: page(
      `${title} | 어느신문`,
      `<div class="gnb"><ul>${links(w, 14)}</ul></div><div class="wrap"><div class="cont"><h3 class="tit_view">${title}</h3><span class="txt_info">김기자 입력 2025.03.29</span>
<div id="articleBody" class="article_view" itemprop="articleBody">${text.join('<br/><br/>')}</div>
<p class="copyright">저작권자 © 어느신문 무단전재 및 재배포 금지</p><div class="relation"><ul>${w.times(6, () => `<li><a href="/x">${w.headline()}</a></li>`)}</ul></div></div>
<div class="aside"><h4>많이 본 뉴스</h4><ol>${w.times(10, () => `<li><a href="/x">${w.headline()}</a></li>`)}</ol></div></div>`,
    ),
  }
}

export const amp: Style = (w) => {
  const title = w.headline()
  const text = w.paragraphs(8)
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<amp-sidebar id="sidebar" layout="nodisplay"><ul>${links(w, 15)}</ul></amp-sidebar><header class="amp-header">${links(w, 3, '', '')}</header>
<article class="amp-article"><h1>${title}</h1><amp-img src="/i.jpg" width=600 height=400></amp-img>${p(text.slice(0, 3))}<amp-ad width=300 height=250 type="x"><div placeholder>Advertisement</div></amp-ad>${p(text.slice(3))}
<amp-social-share type="email"></amp-social-share></article><amp-list src="/more"><div class="more">${cards(w, 4)}</div></amp-list><amp-consent id=c><div><p>${w.paragraph()}</p><button>Accept</button></div></amp-consent>`,
    ),
  }
}

export const application: Style = (w) => {
  const title = w.headline()
  const text = w.paragraphs(10)
  const deep = (inner: string) => `${'<div class="css-1dbjc4n r-1awozwy">'.repeat(9)}${inner}${'</div>'.repeat(9)}`
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<div id="app"><div data-reactroot="">${deep(`<div class="css-nav">${links(w, 10, '<div class="css-1">', '</div>')}</div>`)}${deep(
        `<div class="css-9zk"><h1 class="css-h1">${title}</h1>${p(text.slice(0, 4), ' class="css-at9mc1"')}
<div class="css-sub"><h3>Get our newsletter</h3><p>${w.sentence()}</p><input type=email><button>Sign up</button></div>${p(text.slice(4, 7), ' class="css-at9mc1"')}
<div class="css-rm"><a href="/r1">${w.headline()}</a><a href="/r2">${w.headline()}</a></div>${p(text.slice(7), ' class="css-at9mc1"')}</div>`,
      )}${deep(`<div class="css-grid">${cards(w, 6)}</div>`)}${deep(`<div>${links(w, 20, '<div>', '</div>')}</div>`)}</div></div><script>window.__STATE__={"a":1}</script>`,
    ),
  }
}

export const paywalled: Style = (w) => {
  const title = w.headline()
  const text = w.paragraphs(3)
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="alertdialog"><h2>We value your privacy</h2>${p(w.paragraphs(3))}<button>Accept all</button></div>
<div id="onetrust-pc-sdk"><h3>Manage</h3>${p(w.paragraphs(6))}</div></div><main><article><h1>${title}</h1><div class="article-body">${p(text)}</div>
<div class="paywall-gate"><h2>Subscribe to continue</h2><p>${w.paragraph()}</p><ul><li>${w.sentence()}</li><li>${w.sentence()}</li></ul><button>Subscribe</button></div></article></main><footer><ul>${links(w, 12)}</ul></footer>`,
    ),
  }
}

export const discussed: Style = (w) => {
  const title = w.headline()
  const text = w.paragraphs(5)
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<div class="wrapper"><div class="story"><h1>${title}</h1>${p(text)}</div><div id="discussion"><h2>40 comments</h2>${w.times(
        40,
        (index) =>
          `<div class="comment" id="c${index}"><div class="comment-head"><a href="/u/${index}">user${index}</a> 3 hours ago</div><div class="comment-text"><p>${w.paragraph()}</p></div><a href="/reply">Reply</a></div>`,
      )}</div></div>`,
    ),
  }
}
