package gitrepo
import ("testing";"os";"strings";"time";"runtime";"crypto/sha256")
func TestZZBig(t *testing.T){
 w:=newTree(t,"f","1\n")
 b:=make([]byte,100<<20); for i:=range b { b[i]=byte(i*7>>3)|1; if i%50==0 {b[i]='\n'} }
 os.WriteFile(w.dir+"/big",b,0o666)
 w.git("add","big"); w.git("commit","-qm","big")
 b[5000]='Z'; os.WriteFile(w.dir+"/big",b,0o666); sum:=sha256.Sum256(b); b=nil
 f,_:=os.Create(w.dir+"/huge"); f.Truncate(2500<<20); f.Close()
 w.remove("f")
 tm:=func(s string,fn func()){ st:=time.Now(); c:=cpuTime(); fn(); var m runtime.MemStats; runtime.ReadMemStats(&m); t.Log(s,time.Since(st).Round(time.Millisecond),(cpuTime()-c).Round(time.Millisecond), m.HeapAlloc>>20,"MB") }
 tm("unc",func(){t.Log(brief(w.uncommitted()))})
 tm("revert range",func(){_,err:=w.repo.Revert(t.Context(),uncommittedTrees,span("big",AfterSide,0,1)); t.Log(err)})
 tm("revert huge",func(){_,err:=w.repo.Revert(t.Context(),uncommittedTrees,one("huge")); t.Log(err)})
 tm("revert all",func(){o,err:=w.repo.Revert(t.Context(),uncommittedTrees,all); t.Log(o,err)})
 tm("unc",func(){t.Log(brief(w.uncommitted()))})
 tm("undo",func(){o,err:=w.repo.Undo(t.Context(),""); t.Log(o,err)})
 d,_:=os.ReadFile(w.dir+"/big"); t.Log(sha256.Sum256(d)==sum)
 tm("checkpoint",func(){_,c,err:=w.repo.Checkpoint(t.Context(),"refs/ahp/a/b","m"); t.Log(err, strings.TrimSpace(w.git("log","-1","--format=%B",c)))})
 tm("content",func(){_,err:=w.repo.Content(t.Context(),Side{Path:"huge",Mode:ModeFile,Disk:true}); t.Log(err)})
 tm("blob",func(){_,err:=w.repo.Blob(t.Context(),strings.TrimSpace(w.git("rev-parse","HEAD:big"))); t.Log(err)})
}
